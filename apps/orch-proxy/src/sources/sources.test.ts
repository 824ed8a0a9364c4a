import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { CniResults, podPortOf } from "./cni-results.ts";
import { SourceChecks } from "./source-checks.ts";

/** What libcni writes for a pod that plugin `bridge` has connected. */
const cached = (bridge: string, port: string, address: string) => ({
  kind: "cniCacheV1",
  containerId: "c",
  ifName: "eth0",
  networkName: bridge,
  result: {
    cniVersion: "1.0.0",
    interfaces: [
      { mac: "c2:00:00:00:00:01", name: bridge },
      { mac: "c2:00:00:00:00:02", name: port },
      { mac: "c2:00:00:00:00:03", name: "eth0", sandbox: "/var/run/netns/cni-1" },
    ],
    ips: [{ address: `${address}/24`, gateway: "10.0.0.1", interface: 2 }],
    dns: {},
  },
});

const bridges = new Set(["br-1"]);

test("the port and the addresses of a pod are those of its bridge", () => {
  expect(podPortOf(cached("br-1", "veth1", "10.0.0.2"), bridges)).toEqual({ name: "veth1", addresses: ["10.0.0.2"] });
  expect(podPortOf(cached("br-2", "veth1", "10.0.0.2"), bridges)).toBeUndefined();
});

test.each([
  undefined,
  "text",
  [],
  { result: null },
  { result: { interfaces: "x", ips: {} } },
  { result: { interfaces: [{ name: "br-1" }, null, { name: 5 }] } },
  { result: { interfaces: [{ name: "br-1" }, { name: "a" }, { name: "b" }] } },
])("%j is no pod", (value) => {
  expect(podPortOf(value, bridges)).toBeUndefined();
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cni-results-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function started(path = folder) {
  const loaded: string[] = [];
  const state = { rejects: false };
  const filter: PacketFilter = {
    check: async () => {
      if (state.rejects) throw new Error("nft: no");
    },
    load: async (batch) => void loaded.push(batch),
    tables: async () => [],
    has: async () => true,
    content: async () => ({ chains: [], sets: [] }),
    elements: async () => new Map(),
  };
  const clock = new FakeClock();
  const results = new CniResults(path, ["br-1"]);
  const checks = new SourceChecks({ filter, tableName: "t", results, clock, logger: silentLogger });
  return { checks, loaded, state };
}

const write = (name: string, value: unknown) => writeFile(join(folder, name), JSON.stringify(value));

test("pods that come and go are followed, and nothing is loaded for nothing", async () => {
  const { checks, loaded } = started();
  await write("br-1-a-eth0", cached("br-1", "veth1", "10.0.0.2"));
  await writeFile(join(folder, "br-1-b-eth0"), '{"kind":"cni');
  await write("other", cached("br-2", "veth9", "10.0.0.9"));
  await checks.sync();
  expect(loaded[0]).toContain('add element bridge t sources4 { "veth1" . 10.0.0.2 }\n');
  await write("br-1-b-eth0", cached("br-1", "veth2", "10.0.0.3"));
  await checks.sync();
  await checks.sync();
  await rm(join(folder, "br-1-a-eth0"));
  await checks.sync();
  expect(loaded.slice(1)).toEqual([
    'add element bridge t ports { "veth2" }\nadd element bridge t sources4 { "veth2" . 10.0.0.3 }\n',
    'delete element bridge t ports { "veth1" }\ndelete element bridge t sources4 { "veth1" . 10.0.0.2 }\n',
  ]);
});

test("a folder that is not there has no pods, and a kernel that cannot check is left alone", async () => {
  const { checks, loaded, state } = started(join(folder, "none"));
  await checks.sync();
  expect(loaded).toHaveLength(1);
  state.rejects = true;
  await checks.start();
  await checks.stop();
  expect(loaded).toHaveLength(1);
});
