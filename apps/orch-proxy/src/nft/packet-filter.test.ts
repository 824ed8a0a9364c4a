import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { orchProxyConfigurationSchema, parseConfig } from "@orchernetes/config";
import { silentLogger } from "@orchernetes/kernel";
import { fullBatch, type NftTable, reloadBatch, removeBatch } from "@orchernetes/proxy";
import { noPacketFilter } from "@orchernetes/proxy/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cleanUp } from "../cleanup.ts";
import { formerSlots } from "../services/nftables-backend.ts";
import { chooseMode } from "./choose-mode.ts";
import { localnetGuard } from "./localnet-guard.ts";
import { packetFilter } from "./packet-filter.ts";
import { removeTables } from "./remove-tables.ts";
import { TableLoader } from "./table-loader.ts";

const reason = noPacketFilter();
/** Holds a network namespace. `ip netns` would change a folder of the host in which container runtimes keep theirs. */
let holder: ChildProcess;
let inside: readonly string[] = [];
let filter = packetFilter();
const rules = (name: string): string => {
  const [program = "", ...args] = [...inside, "nft", "list", "table", "inet", name];
  return execFileSync(program, args, { encoding: "utf8" });
};

const tableOf = (name: string, ...addresses: string[]): NftTable => ({
  family: "inet",
  name,
  sets: [
    { kind: "set", name: "s", definition: "type ipv4_addr;", elements: new Map(addresses.map((one) => [one, ""])) },
  ],
  chains: [],
});

describe.skipIf(reason !== undefined)(`the packet filter${reason === undefined ? "" : `: skipped, ${reason}`}`, () => {
  beforeAll(async () => {
    holder = spawn("unshare", ["-n", "sh", "-c", "echo ready; exec sleep 600"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout ?? holder, "data");
    inside = ["nsenter", `--net=/proc/${holder.pid}/ns/net`];
    filter = packetFilter(inside);
  });
  afterAll(() => void holder.kill("SIGKILL"));
  beforeEach(() => filter.load("flush ruleset\n"));

  test("a loader loads the whole table first, then changes, and the whole table after an error or when it is gone", async () => {
    const loader = new TableLoader(filter, { family: "inet", name: "t" });
    const full = () => fullBatch(tableOf("t", "192.0.2.1"));
    expect(await loader.sync({ full, change: "add element inet t s { 192.0.2.9 }\n" })).toBe("full");
    expect(rules("t")).toContain("elements = { 192.0.2.1 }");
    expect(await loader.sync({ full, change: "add element inet t s { 192.0.2.2 }\n" })).toBe("change");
    expect(rules("t")).toContain("192.0.2.1, 192.0.2.2");
    expect(await loader.sync({ full, change: undefined })).toBe("nothing");
    await expect(loader.sync({ full, change: "add element inet t gone { 192.0.2.3 }\n" })).rejects.toThrow(
      /nft -f -: .*No such file or directory/s,
    );
    expect(loader.isLoaded).toBe(false);
    expect(await loader.sync({ full, change: undefined })).toBe("full");
    expect(rules("t")).toContain("elements = { 192.0.2.1 }");
    await filter.load(removeBatch({ family: "inet", name: "t" }));
    expect(await loader.sync({ full, change: undefined })).toBe("full");
    expect(rules("t")).toContain("elements = { 192.0.2.1 }");
  });

  test("a loader of a new process keeps what rules have added, unless the table cannot be turned into its own", async () => {
    const clients = {
      kind: "set",
      name: "clients",
      definition: "type ipv4_addr; size 100; flags dynamic,timeout;",
    } as const;
    const slots = { kind: "map", name: "v4-tcp-sticky-endpoints", definition: "type ipv4_addr : ipv4_addr;" } as const;
    const table = (endpoint: string): NftTable => ({
      family: "inet",
      name: "t",
      sets: [
        { ...clients, elements: new Map() },
        { ...slots, elements: new Map([["10.96.0.1", endpoint]]) },
      ],
      chains: [{ name: "c", rules: ["update @clients { ip saddr timeout 1h }", `dnat ip to ${endpoint}`] }],
    });
    const loadAsNew = (wanted: NftTable) =>
      new TableLoader(filter, { family: "inet", name: "t" }).sync({
        full: () => fullBatch(wanted),
        reload: (found) => reloadBatch(wanted, found),
        change: undefined,
      });
    expect(await formerSlots(filter, "t")).toEqual(new Map());
    await loadAsNew(table("10.244.0.1"));
    await filter.load("add element inet t clients { 192.0.2.9 timeout 1h }\n");
    await loadAsNew(table("10.244.0.2"));
    expect(rules("t")).toContain("192.0.2.9 timeout 1h");
    expect(rules("t")).toContain("dnat ip to 10.244.0.2");
    expect(rules("t")).not.toContain("10.244.0.1");
    expect(await formerSlots(filter, "t")).toEqual(new Map([[slots.name, new Map([["10.96.0.1", "10.244.0.2"]])]]));
    // The table of another version.
    const former = {
      ...clients,
      definition: "type inet_service; size 100; flags dynamic,timeout;",
      elements: new Map(),
    };
    await filter.load(fullBatch({ family: "inet", name: "t", sets: [former], chains: [] }));
    await loadAsNew(table("10.244.0.4"));
    expect(rules("t")).not.toContain("inet_service");
    expect(rules("t")).toContain("dnat ip to 10.244.0.4");
  });

  test("a table is found without a list of all tables, which reads every rule of the host", async () => {
    const script = 'case "$*" in *"list tables"*) exit 1; esac; exec "$@"';
    const listless = packetFilter(["sh", "-c", script, "sh", ...inside]);
    await filter.load(fullBatch(tableOf("a")));
    expect(await listless.has({ family: "inet", name: "a" })).toBe(true);
    expect(await filter.has({ family: "inet", name: "b" })).toBe(false);
    expect(await filter.has({ family: "ip", name: "a" })).toBe(false);
    await expect(listless.has({ family: "inet", name: "b" })).rejects.toThrow("exit code 1");
  });

  test("cleaning up removes the daemon's tables, and those of no other daemon", async () => {
    for (const name of ["a", "a-policy", "a-2", "ab", "a2-policy", "b"]) await filter.load(fullBatch(tableOf(name)));
    await filter.load(localnetGuard("a"));
    const settings = parseConfig(
      {
        apiVersion: "orchproxy.config.o8s.io/v1alpha1",
        kind: "OrchProxyConfiguration",
        nftables: { tableName: "a" },
      },
      orchProxyConfigurationSchema,
      "test",
    );
    const parameters = { read: async () => "0", write: async () => undefined };
    await cleanUp(settings, { filter, parameters, logger: silentLogger });
    expect((await filter.tables()).map(({ name }) => name).sort()).toEqual(["a-2", "a2-policy", "ab", "b"]);
    expect(await removeTables(filter, "a")).toEqual([]);
  });

  test("a process that may use it serves services by it, unless it is to serve them in user space", async () => {
    expect(await chooseMode("", filter, silentLogger)).toBe("nftables");
    expect(await chooseMode("ipvs", filter, silentLogger)).toBe("nftables");
    expect(await chooseMode("userspace", filter, silentLogger)).toBe("userspace");
    // The probe leaves nothing.
    expect(await filter.tables()).toEqual([]);
  });
});

test.each([
  ["is missing", "/gone/nft", /spawn \/gone\/nft ENOENT/],
  ["fails without a word", "false", /exit code 1/],
  ["has no right", "sh -c 'echo Operation not permitted >&2; exit 1'", /Operation not permitted/],
])("where nft %s services are served in user space, and nothing else can be asked for", async (_, command, why) => {
  const prefix = command.startsWith("sh") ? ["sh", "-c", "echo Operation not permitted >&2; exit 1"] : [command];
  const broken = packetFilter(prefix);
  const lines: unknown[] = [];
  const logger = { ...silentLogger, warn: (message: string, values?: object) => lines.push([message, values]) };
  expect(await chooseMode("", broken, logger)).toBe("userspace");
  expect(lines).toEqual([
    [expect.stringContaining("services are served in user space"), { why: expect.stringMatching(why) }],
  ]);
  await expect(chooseMode("nftables", broken, silentLogger)).rejects.toThrow(why);
});
