import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readDataFolder } from "../src/evidence/data-folder.ts";
import { readDocuments } from "../src/evidence/documents.ts";
import { findFiles } from "../src/evidence/files.ts";
import { parseFlags, processFacts } from "../src/evidence/process-flags.ts";
import { readProxy } from "../src/evidence/proxies.ts";
import { parseOptions } from "../src/options.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-check-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

test.each<[string, readonly (readonly [string, string])[]]>([
  ["--a=b", [["a", "b"]]],
  [
    "--a b --c",
    [
      ["a", "b"],
      ["c", "true"],
    ],
  ],
  ["-a=b", [["a", "b"]]],
  ["--a=b --a=c", [["a", "c"]]],
  ["--feature-gates=A=true --feature-gates=B=false", [["feature-gates", "A=true,B=false"]]],
  ["word --", []],
])("the flags of %s", (line, want) => {
  expect([...parseFlags(line.split(" "))]).toEqual(want);
});

test("a process is looked at only if it is the one that was started", () => {
  expect(processFacts(process.pid)?.source).toBe(`command line of process ${process.pid}`);
  expect([processFacts(process.pid, 1), processFacts(2 ** 30)]).toEqual([undefined, undefined]);
});

test.each([
  ["nothing", undefined, /cannot be read/],
  ["junk", "{", /cannot be read/],
  ["something else", "[]", /is not the state of a cluster/],
])("a data folder with %s is an error", (_name, text, want) => {
  if (text !== undefined) writeFileSync(join(dir, "cluster.json"), text);
  expect(() => readDataFolder(dir)).toThrow(want);
});

test("entries of a data folder's state that have another form are ignored", () => {
  const cni = join(dir, "nodes/node-1/runtime/cni");
  mkdirSync(cni, { recursive: true });
  writeFileSync(join(cni, "a.conflist"), "");
  const state = {
    processes: [{ name: "etcd", pid: 7, startTicks: 9 }, { name: "x", pid: -1 }, { name: 3, pid: 4 }, null],
    nodes: [{ name: "node-1" }, { name: "../.." }, null],
  };
  writeFileSync(join(dir, "cluster.json"), JSON.stringify(state));
  expect(readDataFolder(dir)).toEqual({
    processes: [{ name: "etcd", pid: 7, startTicks: 9 }],
    pki: join(dir, "pki"),
    cniFiles: [join(cni, "a.conflist")],
  });
});

test("files are found by flags and in the folder of certificates", () => {
  const file = (name: string, mode: number) => {
    writeFileSync(join(dir, name), "", { mode });
    return join(dir, name);
  };
  const [key, cert, policy] = [file("a.key", 0o644), file("a.crt", 0o600), file("policy", 0o600)];
  const flags = parseFlags([
    `--tls-private-key-file=${key}`,
    `--audit-policy-file=${policy}`,
    "--client-ca-file=/gone",
  ]);
  const daemons = { "orch-apiserver": { flags, uid: 0, source: "" } };
  const found = findFiles({ daemons, nodes: [], proxies: [], client: cert, pki: dir, cniFiles: [] });
  const uid = process.getuid?.();
  expect(found.keys).toEqual([{ path: key, mode: 0o644, uid }]);
  expect(found.certificates).toEqual([{ path: cert, mode: 0o600, uid }]);
  expect(found["apiserver-config"]).toEqual([{ path: policy, mode: 0o600, uid }]);
});

test("files that cannot be read are not judged, and keys are not shown", async () => {
  const file = join(dir, "encryption");
  writeFileSync(file, "apiVersion: nonsense\nsecret: c2VjcmV0\n");
  const flags = parseFlags([`--encryption-provider-config=${file}`, "--audit-policy-file=/gone"]);
  const documents = await readDocuments({ flags, uid: 0, source: "" });
  expect(documents).toEqual({ auditPolicy: undefined, encryption: undefined });
});

test.each([
  [["--orchconfig=a"], { orchconfig: "/w/a", data: undefined, processes: new Map(), output: "text" }],
  [
    ["--orchconfig=/a", "--data=d", "--process=etcd=7", "--process", "orchlet-n=8", "-o", "json"],
    {
      orchconfig: "/a",
      data: "/w/d",
      processes: new Map([
        ["etcd", 7],
        ["orchlet-n", 8],
      ]),
      output: "json",
    },
  ],
])("options %j", async (args, want) => {
  expect(await parseOptions(args, "/w")).toEqual(want);
});

test.each([
  [[], /orchconfig/],
  [["--orchconfig=a", "--process=etcd"], /--process: found "etcd"; want NAME=PID/],
  [["--orchconfig=a", "-o", "yaml"], /Invalid values/],
  [["--orchconfig=a", "--bogus"], /Unknown argument/],
])("options %j are an error", async (args, want) => {
  await expect(parseOptions(args, "/w")).rejects.toThrow(want);
});

test("help names every option", async () => {
  const help = await parseOptions(["--help"], "/w");
  expect(help).toEqual({ text: expect.stringMatching(/--orchconfig[\s\S]*--data[\s\S]*--process[\s\S]*--output/) });
  expect(readFileSync(new URL("../src/options.ts", import.meta.url), "utf8")).toContain("exit code is 1");
});

test("whether a proxy enforces policies is asked of it, and unknown if it cannot be asked", async () => {
  const pages: Record<string, string> = { "/proxyMode": "nftables" };
  const enforcing = (enableNetworkPolicy: boolean) =>
    JSON.stringify({ "orchproxy.config.o8s.io": { enableNetworkPolicy } });
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ""];
    response.writeHead(page === undefined ? 404 : 200).end(page);
  }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = join(dir, "proxy.yaml");
    const head = "apiVersion: orchproxy.config.o8s.io/v1alpha1\nkind: OrchProxyConfiguration\n";
    writeFileSync(file, `${head}metricsBindAddress: ${address}\n`);
    const asked = (...words: string[]) => readProxy({ flags: parseFlags(["p", ...words]), uid: 0, source: "s" });
    expect(await asked(`--config=${file}`)).toBeUndefined();
    pages["/configz"] = enforcing(true);
    for (const flag of [`--config=${file}`, `--metrics-bind-address=${address}`])
      expect(await asked(flag)).toEqual({ enforcesPolicies: true, source: `http://${address}/configz` });
    pages["/configz"] = enforcing(false);
    expect((await asked(`--config=${file}`))?.enforcesPolicies).toBe(false);
    Object.assign(pages, { "/configz": enforcing(true), "/proxyMode": "userspace" });
    expect((await asked(`--config=${file}`))?.enforcesPolicies).toBe(false);
    pages["/configz"] = "nonsense";
    expect(await asked(`--config=${file}`)).toBeUndefined();
    expect(await readProxy(undefined)).toBeUndefined();
  } finally {
    server.close();
  }
});
