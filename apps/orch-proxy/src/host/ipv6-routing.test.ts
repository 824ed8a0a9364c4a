import { silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { Ipv6Routing } from "./ipv6-routing.ts";

function started(values: Readonly<Record<string, string>>) {
  const found = new Map(Object.entries(values));
  const written: string[] = [];
  const routing = new Ipv6Routing(
    {
      read: async (name) => found.get(name),
      async write(name, value) {
        found.set(name, value);
        written.push(`${name}=${value}`);
      },
    },
    silentLogger,
    () => ["eth0", "eth1", "eth2", "cni0"],
  );
  return { routing, written };
}

const host = {
  "net/ipv6/conf/all/forwarding": "0",
  "net/bridge/bridge-nf-call-ip6tables": "0",
  "net/ipv6/conf/eth0/accept_ra": "1",
  "net/ipv6/conf/eth1/accept_ra": "0",
  "net/ipv6/conf/eth2/accept_ra": "2",
};

test("a cluster of IPv4 leaves IPv6 as it is", async () => {
  const { routing, written } = started(host);
  await routing.see(["10.96.0.1", undefined, "10.244.0.0/16", "None"]);
  expect(written).toEqual([]);
});

test("the first address of IPv6 sets the kernel up once, and interfaces go on learning their routes", async () => {
  const { routing, written } = started(host);
  await Promise.all([routing.see(["10.96.0.1", "fd00::1"]), routing.see(["fd00:244::/64"])]);
  expect(written).toEqual([
    "net/ipv6/conf/eth0/accept_ra=2",
    "net/ipv6/conf/all/forwarding=1",
    "net/bridge/bridge-nf-call-ip6tables=1",
  ]);
});

test("a host that forwards already keeps its settings of interfaces", async () => {
  const { routing, written } = started({ ...host, "net/ipv6/conf/all/forwarding": "1" });
  await routing.see(["10.0.0.0/8,fd00::/48"]);
  expect(written).toEqual(["net/bridge/bridge-nf-call-ip6tables=1"]);
});
