import type { networking } from "@orchernetes/api";
import { seededNumbers } from "@orchernetes/apimachinery";
import { atOnce } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { differenceOf, type NftDifference } from "../nft/difference.ts";
import type { NftTable } from "../nft/table.ts";
import { PolicyTable } from "./policy-table.ts";
import { CurrentPolicyTable } from "./testing/current-policy-table.ts";
import { emptyWorld, followWorld } from "./testing/follow-world.ts";
import { forwards } from "./testing/interpret-table.ts";
import { RandomWorld } from "./testing/random-world.ts";
import { allows, type Connection, type PolicyWorld } from "./testing/reference-model.ts";

const nodes = ["n1", "n2"];
const ports = [53, 80, 8080];
const addresses = Array.from({ length: 10 }, (_, i) => {
  const v4 = `10.0.${i % 2}.${i + 2}`;
  const v6 = `fd00:0:0:${i % 2}:0:0:0:${(i + 2).toString(16)}`;
  return i < 6 ? [v4, v6] : i < 8 ? [v4] : [v6];
});
const outside = ["192.0.2.7", "2001:db8:0:0:0:0:0:7"];
const blocks: readonly networking.IPBlock[] = [
  { cidr: "10.0.0.0/23", except: ["10.0.0.4/30", "10.0.1.0/24", "10.0.0.6/32"] },
  { cidr: "0.0.0.0/0", except: ["10.0.0.0/16", "192.0.2.0/29"] },
  { cidr: "::/0", except: ["fd00::/16", "2001:db8::7/128"] },
  { cidr: "fd00:0:0:1::/64", except: ["fd00:0:0:1::/126"] },
  { cidr: "192.0.2.6/31", except: [] },
];

const worldOf = (seed: number) => new RandomWorld({ numbers: seededNumbers(seed), nodes, addresses, ports, blocks });

/** Every pair of addresses of a family, with every protocol and port. */
function* connections(): Generator<Connection> {
  const all = [...addresses.flat(), ...outside];
  for (const from of all)
    for (const to of all) {
      if (from.includes(":") !== to.includes(":")) continue;
      for (const protocol of ["TCP", "UDP", "SCTP"] as const)
        for (const port of [53, 80, 81, 8080, 9999]) yield { from, to, protocol, port };
    }
}

/** A table without the order of its parts, which has no meaning. */
const sorted = (table: NftTable | undefined) => ({
  chains: table?.chains.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  sets: table?.sets
    .map((set) => ({ ...set, elements: [...set.elements].toSorted() }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
});

const sortedDifference = (difference: NftDifference | undefined) =>
  difference && {
    ...sorted({ family: "inet", name: "", chains: difference.addedChains, sets: difference.addedSets }),
    changedChains: difference.changedChains,
    removedChains: difference.removedChains.toSorted(),
    removedSets: difference.removedSets.map(({ kind, name }) => `${kind} ${name}`).toSorted(),
    changedSets: difference.changedSets
      .map(({ set, removed, added }) => [set, removed.toSorted(), [...added].toSorted()])
      .toSorted(),
  };

const tableOf = (nodeName: string, world: PolicyWorld): CurrentPolicyTable => {
  const table = new CurrentPolicyTable({ nodeName, tableName: "policy" });
  followWorld(table, emptyWorld, world);
  return table;
};

/** The connections about which the tables of all nodes together and the reference disagree. */
function disagreements(tables: readonly PolicyTable[], world: PolicyWorld): readonly Connection[] {
  const made = tables.map((table) => table.table());
  return [...connections()].filter(
    (connection) => made.every((table) => forwards(table, connection)) !== allows(world, connection),
  );
}

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
  "the tables of random policies allow what the reference allows: seed %i",
  (seed) => {
    const world = worldOf(seed).world(1 + seed);
    const tables = nodes.map((nodeName) => tableOf(nodeName, world));
    expect(disagreements(tables, world)).toEqual([]);
  },
);

test.each([31, 32, 33, 34])("contested addresses have the owners that the reference gives them: seed %i", (seed) => {
  const numbers = seededNumbers(seed);
  const contested = addresses.map((own, i) => [...own, ...(addresses[(i * 3 + 1) % 4] ?? [])]);
  const random = new RandomWorld({ numbers, nodes, addresses: contested, ports, blocks }).world(8);
  const pods = random.pods.map((pod) => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      creationTimestamp: `2030-01-01T00:00:0${numbers(10)}Z`,
      ...(numbers(4) === 0 && { deletionTimestamp: "2030-01-01T00:01:00Z" }),
    },
  }));
  const world = { ...random, pods };
  const tables = nodes.map((nodeName) => tableOf(nodeName, world));
  expect(disagreements(tables, world)).toEqual([]);
});

test.each([21, 22, 23])("tables that follow random changes are those of the final state: seed %i", (seed) => {
  const numbers = seededNumbers(seed);
  const random = new RandomWorld({ numbers, nodes, addresses, ports, blocks });
  let { namespaces, pods, policies } = random.world(6);
  const followers = nodes.map((nodeName) => tableOf(nodeName, { namespaces, pods, policies }));
  const loaded = followers.map((follower) => structuredClone(follower.table()));
  for (const follower of followers) follower.difference();
  for (let step = 0; step < 60; step++) {
    const i = numbers(10);
    const before = { namespaces, pods, policies };
    if (step % 3 === 0) pods = pods.map((pod, at) => (at === i ? random.pod(i) : pod));
    else if (step % 3 === 1) {
      policies = policies.filter(({ metadata }) => metadata.name !== `policy-${i}`);
      if (numbers(3) > 0) policies = [...policies, random.policy(i)];
    } else
      namespaces = namespaces.map((namespace, at) =>
        at === i % 3 ? random.namespace(namespace.metadata.name ?? "") : namespace,
      );
    const world = { namespaces, pods, policies };
    for (const [at, follower] of followers.entries()) {
      followWorld(follower, before, world);
      const fresh = tableOf(nodes[at] ?? "", world).table();
      expect(sorted(follower.table())).toEqual(sorted(fresh));
      // The difference is that of the whole tables.
      const [then, now] = [loaded[at], structuredClone(follower.table())];
      const wanted = then && differenceOf(then, now);
      expect(sortedDifference(follower.difference())).toEqual(sortedDifference(wanted));
      loaded[at] = now;
    }
    if (step % 20 === 19) expect(disagreements(followers, world)).toEqual([]);
  }
});

test.each([41, 42, 43])(
  "what changes between the steps of a refresh is in the table after the next one: seed %i",
  (seed) => {
    const numbers = seededNumbers(seed);
    const random = new RandomWorld({ numbers, nodes, addresses, ports, blocks });
    let world = random.world(6);
    const table = new PolicyTable({ nodeName: "n1", tableName: "policy" });
    followWorld(table, emptyWorld, world);
    for (let round = 0; round < 40; round++) {
      const steps = table.refresh();
      while (steps.next(false).done !== true) {
        if (numbers(3) > 0) continue;
        const before = world;
        const i = numbers(10);
        const { namespaces, pods, policies } = world;
        const other = policies.filter(({ metadata }) => metadata.name !== `policy-${i}`);
        world = {
          namespaces:
            numbers(3) === 0 ? namespaces.map(({ metadata }) => random.namespace(metadata.name ?? "")) : namespaces,
          pods: pods.map((pod, at) => (at === i ? random.pod(i) : pod)),
          policies: numbers(3) === 0 ? [...other, random.policy(i)] : policies,
        };
        followWorld(table, before, world);
      }
      atOnce(table.refresh());
      expect(sorted(table.table())).toEqual(sorted(tableOf("n1", world).table()));
    }
    expect(disagreements([table, tableOf("n2", world)], world)).toEqual([]);
  },
);
