/**
 * Writes `descriptor.json` from the .proto files of the etcd3 package: `node make-descriptor.ts`, after every change of its
 * version. The store reads the result, as parsing the files would cost each start 50 ms.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import protobuf from "protobufjs";

/** Services that are not called here: the API server does not use etcd's own authentication. */
const LEFT_OUT = /^Auth|^User|^Role/;

/** Description of a message, an enum or a service for protobufjs. */
type Described = { readonly [name: string]: unknown };

/** The services KV, Watch, Lease, Cluster and Maintenance and their messages, without comments and options. */
export function describeRpc(): Described {
  const file = createRequire(import.meta.url).resolve("etcd3/proto/rpc.proto");
  const { nested = {} } = new protobuf.Root().loadSync(file, { keepCase: true }).toJSON();
  const packages = { etcdserverpb: nested.etcdserverpb, mvccpb: nested.mvccpb };
  const described = Object.entries(packages).map(([name, part]) => [name, { edition: "proto3", ...part }]);
  return { nested: withoutOptions(Object.fromEntries(described)) };
}

function withoutOptions(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, part]) => part !== undefined && !LEFT_OUT.test(name) && name !== "options" && name !== "parsedOptions",
  );
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutOptions(part)]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  writeFileSync(new URL("descriptor.json", import.meta.url), `${JSON.stringify(describeRpc(), undefined, 2)}\n`);
