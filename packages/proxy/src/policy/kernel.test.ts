import type { networking } from "@orchernetes/api";
import { seededNumbers } from "@orchernetes/apimachinery";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fullBatch, renderDifference } from "../nft/batch.ts";
import { isEmptyDifference } from "../nft/difference.ts";
import { noPacketFilter } from "../testing/packet-filter.ts";
import { CurrentPolicyTable } from "./testing/current-policy-table.ts";
import { emptyWorld, followWorld } from "./testing/follow-world.ts";
import { type LabPlace, type LabRequest, outsideAddresses, PolicyNetwork } from "./testing/policy-network.ts";
import { RandomWorld } from "./testing/random-world.ts";
import { allows, type Connection, type PolicyWorld } from "./testing/reference-model.ts";

const nodes = ["n0", "n1"];
const ports = [53, 80, 8080];
const pods = Array.from({ length: 6 }, (_, i) => {
  const v4 = `10.0.${i % 2}.${i + 2}`;
  const v6 = `fd00:0:0:${i % 2}:0:0:0:${i + 2}`;
  return { bridge: i % 2, addresses: i === 4 ? [v4] : i === 5 ? [v6] : [v4, v6] };
});
const blocks: readonly networking.IPBlock[] = [
  { cidr: "10.0.0.0/23", except: ["10.0.0.4/31", "10.0.1.0/24"] },
  { cidr: "0.0.0.0/0", except: ["10.0.0.0/16", "192.0.2.0/29"] },
  { cidr: "::/0", except: ["fd00::/16", "2001:db8::7/128"] },
];

const places: readonly { readonly place: LabPlace; readonly addresses: readonly string[] }[] = [
  ...pods.map(({ addresses }, place) => ({ place, addresses })),
  { place: "outside", addresses: outsideAddresses },
];

type Attempt = Connection & LabRequest;

/** The connections of a place to all others. */
function connectionsFrom(place: LabPlace, addresses: readonly string[]): readonly Attempt[] {
  return addresses.flatMap((from) =>
    places
      .filter((other) => other.place !== place)
      .flatMap((other) => other.addresses.filter((to) => to.includes(":") === from.includes(":")))
      .flatMap((to) =>
        (["TCP", "UDP"] as const).flatMap((protocol) => ports.map((port) => ({ from, to, protocol, port }))),
      ),
  );
}

const missing = noPacketFilter();
describe.skipIf(missing !== undefined)(`policies in the kernel ${missing ?? ""}`, () => {
  let lab: PolicyNetwork;
  const tables = nodes.map(
    (nodeName, i) => new CurrentPolicyTable({ nodeName, tableName: `policy-${nodeName}`, bridges: [`br${i}`] }),
  );
  let enforced = emptyWorld;
  beforeAll(async () => {
    lab = await PolicyNetwork.start(pods, ports);
    for (const table of tables) {
      lab.load(fullBatch(table.table()));
      table.difference();
    }
  }, 30_000);
  afterAll(() => lab?.stop());

  /** Loads what differs from the world before. */
  function enforce(world: PolicyWorld): void {
    for (const table of tables) {
      followWorld(table, enforced, world);
      const difference = table.difference();
      if (!isEmptyDifference(difference)) lab.load(renderDifference(difference));
    }
    enforced = world;
  }

  /** Connections whose outcome is not that of the reference. One that fails is tried again: the machine may be slow. */
  async function disagreements(world: PolicyWorld): Promise<readonly Connection[]> {
    const found = places.map(async ({ place, addresses }) => {
      let left = connectionsFrom(place, addresses);
      for (const timeoutMs of [300, 1_000, 3_000]) {
        const worked = left.length === 0 ? [] : await lab.ask(place, timeoutMs, left);
        left = left.filter((connection, i) => worked[i] !== allows(world, connection));
        if (left.some((connection) => !allows(world, connection))) break;
      }
      return left;
    });
    return (await Promise.all(found)).flat();
  }

  test("connections are those that the reference allows, for random policies", async () => {
    const numbers = seededNumbers(7);
    const random = new RandomWorld({
      numbers,
      nodes,
      addresses: pods.map(({ addresses }) => addresses),
      ports,
      blocks,
    });
    for (let round = 0; round < 12; round++) {
      const world = random.world(round);
      enforce(world);
      expect(await disagreements(world), `in round ${round}`).toEqual([]);
    }
  }, 90_000);

  test("nothing is left of policies that are gone", () => {
    enforce(emptyWorld);
    expect(lab.rules()).not.toMatch(/jump|elements|-[0-9a-f]{32}/);
  });

  const running: PolicyWorld = {
    namespaces: [{ metadata: { name: "red" }, spec: {}, status: {} }],
    pods: pods.map(({ addresses }, i) => ({
      metadata: { name: `pod-${i}`, namespace: "red", labels: { pod: String(i) } },
      spec: { nodeName: nodes[i % 2] ?? "", containers: [] },
      status: { phase: "Running", podIPs: addresses.map((ip) => ({ ip })) },
    })),
    policies: [],
  };
  const policy = (name: string, spec: networking.NetworkPolicySpec): networking.NetworkPolicy => ({
    metadata: { name, namespace: "red" },
    spec,
    status: {},
  });
  const podLabel = (i: number) => ({ matchLabels: { pod: String(i) } });
  const denyAll = policy("deny", { podSelector: {}, policyTypes: ["Ingress", "Egress"] });
  const [from, to] = ["10.0.0.2", "10.0.0.4"];
  const web: LabRequest = { protocol: "TCP", to, port: 80 };

  test("a node reaches its pods and they reach it, whatever policies say", async () => {
    enforce({ ...running, policies: [denyAll] });
    expect(await lab.ask("host", 3_000, [web, { ...web, to: "fd00::4" }, { ...web, protocol: "UDP" }])).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      await lab.ask(0, 3_000, [
        { ...web, to: "10.0.0.1" },
        { ...web, to: "fd00::1" },
      ]),
    ).toEqual([true, true]);
    expect(await lab.ask(0, 300, [web, { ...web, to: "fd00::4" }])).toEqual([false, false]);
  });

  test("link-local addresses are no way around policies", async () => {
    const linkLocal: LabRequest = { ...web, to: `${lab.linkLocalAddress(2)}%eth0` };
    enforce(running);
    expect(await lab.ask(0, 3_000, [linkLocal])).toEqual([true]);
    enforce({ ...running, policies: [denyAll] });
    expect(await lab.ask(0, 300, [linkLocal])).toEqual([false]);
  });

  test("a connection that exists goes on when a policy would no longer allow it", async () => {
    enforce(running);
    expect(await lab.ask(0, 3_000, [{ ...web, protocol: "hold" }])).toEqual([true]);
    enforce({ ...running, policies: [denyAll] });
    expect(await lab.ask(0, 3_000, [{ ...web, protocol: "echo" }])).toEqual([true]);
    expect(await lab.ask(0, 300, [web])).toEqual([false]);
  });

  test("policies see the pod's address behind that of a service, and the sender's before it is hidden", async () => {
    lab.load(`table ip services {
      chain dstnat { type nat hook prerouting priority -100
        ip daddr 10.96.0.10 tcp dport 80 dnat to ${to}:8080
      }
      chain srcnat { type nat hook postrouting priority 100
        ct status dnat masquerade
      }
    }`);
    const service: LabRequest = { protocol: "TCP", to: "10.96.0.10", port: 80 };
    const allowed = (peer: string, port: number) => [
      policy("to", {
        podSelector: podLabel(2),
        ingress: [{ from: [{ ipBlock: { cidr: `${peer}/32` } }], ports: [{ port }] }],
      }),
      policy("from", {
        podSelector: podLabel(0),
        policyTypes: ["Egress"],
        egress: [{ to: [{ podSelector: podLabel(2) }], ports: [{ port }] }],
      }),
    ];
    enforce({ ...running, policies: allowed(from, 8080) });
    expect(await lab.ask(0, 3_000, [service])).toEqual([true]);
    expect(await lab.ask(1, 300, [service])).toEqual([false]);
    // A pod reaches itself through its service.
    expect(await lab.ask(2, 3_000, [service])).toEqual([true]);
    enforce({ ...running, policies: allowed(from, 80) });
    expect(await lab.ask(0, 300, [service])).toEqual([false]);
    enforce({ ...running, policies: allowed("10.0.0.1", 8080) });
    expect(await lab.ask(0, 300, [service])).toEqual([false]);
    lab.load("delete table ip services");
  });

  test("while policies change, what all of them allow works and what none of them allows does not", async () => {
    const always = { from: [{ podSelector: podLabel(0) }], ports: [{ port: 80 }] };
    const policies = (i: number) => [
      policy("web", { podSelector: podLabel(2), ingress: [{ ports: [{ port: 1_000 + i }] }, always] }),
      ...(i % 2 === 0
        ? []
        : [
            policy("more", {
              podSelector: podLabel(2),
              ingress: [{ from: [{ podSelector: podLabel(i % 5) }], ports: [{ port: 90 }] }],
            }),
          ]),
    ];
    enforce({ ...running, policies: policies(0) });
    const attempts = Array.from({ length: 20 }, () => web);
    const outcomes = async (place: LabPlace, timeoutMs: number) => {
      const all: boolean[] = [];
      for (let i = 0; i < 10; i++) all.push(...(await lab.ask(place, timeoutMs, attempts)));
      return new Set(all);
    };
    let changes = 0;
    const change = setInterval(() => enforce({ ...running, policies: policies(++changes) }), 1);
    const seen = await Promise.all([outcomes(0, 3_000), outcomes(4, 100)]);
    clearInterval(change);
    expect(seen).toEqual([new Set([true]), new Set([false])]);
    expect(changes).toBeGreaterThan(10);
  }, 30_000);
});
