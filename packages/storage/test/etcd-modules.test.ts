import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { etcdAvailable, startEtcd } from "../src/testing/index.ts";

const skip = !etcdAvailable();

/** Prints which packages a process has loaded once its store has read, written and watched. */
const PROGRAM = `
import { createRequire } from "node:module";
import { openEtcdStore } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
const store = await openEtcdStore({ servers: [process.argv[1]] });
const { revision } = await store.commit([], [{ type: "put", key: "/a", value: Buffer.from("1"), ttlSeconds: 60 }]);
for await (const { changes } of store.watch("/", { after: revision - 1, signal: AbortSignal.timeout(5000) })) if (changes.length > 0) break;
await store.writable(AbortSignal.timeout(5000));
await store.close();
const files = Object.keys(createRequire(import.meta.url).cache);
process.stdout.write(JSON.stringify([...new Set(files.map((file) => file.replace(/.*node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/.*/, "$1")))]));
`;

test.skipIf(skip)(
  "a store in etcd uses etcd3 and loads neither grpc-js nor what only grpc-js needs",
  async () => {
    const etcd = await startEtcd({ unsafeNoFsync: true });
    try {
      const args = ["--input-type=module", "--eval", PROGRAM, etcd.url];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
      const packages: string[] = JSON.parse(stdout);
      expect(packages).toEqual(expect.arrayContaining(["etcd3", "protobufjs"]));
      for (const unwanted of ["@grpc/grpc-js", "@grpc/proto-loader", "cockatiel", "bignumber.js"])
        expect(packages).not.toContain(unwanted);
    } finally {
      await etcd.stop();
    }
  },
  60_000,
);
