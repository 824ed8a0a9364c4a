import { orchProxyConfigurationSchema, parseConfig } from "@orchernetes/config";
import { silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { cleanUp } from "./cleanup.ts";
import type { PacketFilter } from "./nft/packet-filter.ts";

const settings = parseConfig(
  { apiVersion: "orchproxy.config.o8s.io/v1alpha1", kind: "OrchProxyConfiguration" },
  orchProxyConfigurationSchema,
  "test",
);

/** A host with these tables, and `route_localnet` on; `writeFails` makes its parameters read-only. */
function hostWith(tables: readonly string[], { writeFails = false } = {}) {
  const left = new Set(tables);
  /** What was done, in this order. */
  const done: string[] = [];
  const state = { routeLocalnet: "1" };
  const filter: PacketFilter = {
    async load(batch) {
      for (const [, action, table = ""] of batch.matchAll(/^(add|delete) table (\S+ \S+)$/gm)) {
        if (action === "add") left.add(table);
        else left.delete(table);
        done.push(`${action} ${table}`);
      }
    },
    check: async () => undefined,
    content: async () => ({ chains: [], sets: [] }),
    elements: async () => new Map(),
    has: async ({ family, name }) => left.has(`${family} ${name}`),
    tables: async () =>
      [...left].map((table) => {
        const [family = "", name = ""] = table.split(" ");
        return { family, name };
      }),
  };
  const parameters = {
    read: async () => state.routeLocalnet,
    async write(name: string, value: string) {
      if (writeFails) throw new Error("read-only");
      done.push(`${name}=${value}`);
      state.routeLocalnet = value;
    },
  };
  const clean = () => cleanUp(settings, { filter, parameters, logger: silentLogger });
  return { clean, done, filter, left, state };
}

const own = ["inet orch-proxy", "inet orch-proxy-policy", "ip orch-proxy-localnet"];

test("route_localnet is turned off before the last guard of loopback addresses goes", async () => {
  const { clean, done, left } = hostWith(own);
  await clean();
  expect([...left]).toEqual([]);
  expect(done.slice(-2)).toEqual(["net/ipv4/conf/all/route_localnet=0", "delete ip orch-proxy-localnet"]);
});

test("while another daemon guards the host, and where there was no guard, route_localnet stays", async () => {
  const others = ["inet orch-proxy-2", "inet orch-proxy-2-policy", "ip orch-proxy-2-localnet", "ip orch-proxy-policy"];
  for (const { clean, left, state } of [hostWith([...own, ...others]), hostWith(others)]) {
    await clean();
    expect([...left]).toEqual(others);
    expect(state.routeLocalnet).toBe("1");
  }
});

test("the guard stays where route_localnet cannot be turned off, and everything else goes", async () => {
  const { clean, left } = hostWith(own, { writeFails: true });
  await expect(clean()).rejects.toThrow("read-only");
  expect([...left]).toEqual(["ip orch-proxy-localnet"]);
});

test.each([false, true])("two daemons that clean up at once leave no open host (read-only: %s)", async (writeFails) => {
  const other = "ip other-localnet";
  const { clean, filter, left, state } = hostWith([...own, other], { writeFails });
  const { load } = filter;
  // The other one goes right after this one has seen it.
  filter.load = async (batch) => {
    left.delete(other);
    await load(batch);
  };
  left.delete("inet orch-proxy");
  left.delete("inet orch-proxy-policy");
  if (writeFails) await expect(clean()).rejects.toThrow("read-only");
  else await clean();
  expect([state.routeLocalnet, ...left]).toEqual(writeFails ? ["1", "ip orch-proxy-localnet"] : ["0"]);
});
