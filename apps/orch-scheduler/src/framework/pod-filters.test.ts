import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { NominatedPods } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import { profileOf } from "../testing/profiles.ts";
import { tableOf } from "../testing/tables.ts";
import { schedulePod } from "./schedule-pod.ts";

const HOSTNAME = "orchernetes.io/hostname";
const of = (name: string, cpu = "4", zone = "z") =>
  node(name)
    .capacity({ cpu, memory: "8Gi", pods: "10" })
    .labels({ [HOSTNAME]: name, zone });
const selecting = (app: string, topologyKey: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey });
const affinity = (app: string, topologyKey = HOSTNAME) => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [selecting(app, topologyKey)] } },
});
const antiAffinity = (app: string, topologyKey = HOSTNAME) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [selecting(app, topologyKey)] } },
});
const nominee = (priority = 10) => pod("nominee").priority(priority).labels({ app: "n" });

/** The node of a pod, or the reason why there is none, while `other` is nominated on node `a`. */
function decide(wanting: PodBuilder, other: PodBuilder, nodes: NodeBuilder[], placed: PodBuilder[] = []): string {
  const table = tableOf(nodes, placed);
  const before = nodes.map((_, slot) => [table.podCount[slot], table.cpu.requested[slot]]);
  const nominations = new NominatedPods();
  nominations.set(podInfo(other.build()), "a");
  const verdict = schedulePod(podInfo(wanting.build()), table, profileOf(), { start: 0, random: () => 0, nominations });
  expect(nodes.map((_, slot) => [table.podCount[slot], table.cpu.requested[slot]])).toEqual(before);
  return verdict.type === "node" ? table.nameOf(verdict.slot) : verdict.message;
}

test.each<[string, PodBuilder, PodBuilder, NodeBuilder[], string]>([
  [
    "room that is kept for a pod as important is taken",
    pod("p").priority(10).requests({ cpu: "3" }),
    nominee().requests({ cpu: "2" }),
    [of("a")],
    "0/1 nodes are available: 1 Insufficient cpu.",
  ],
  [
    "room that is kept for a less important pod is free",
    pod("p").priority(10).requests({ cpu: "3" }),
    nominee(9).requests({ cpu: "2" }),
    [of("a")],
    "a",
  ],
  [
    "the pod's own nomination does not stand in its way",
    pod("nominee").priority(10).requests({ cpu: "3" }),
    nominee().requests({ cpu: "3" }),
    [of("a")],
    "a",
  ],
  [
    "the company of a pod that may never come is no company",
    pod("p").priority(1).spec(affinity("n")),
    nominee(),
    [of("a")],
    "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
  ],
  [
    "a nominated pod keeps away from its own node those that avoid it",
    pod("p").priority(1).spec(antiAffinity("n")),
    nominee(),
    [of("a")],
    "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.",
  ],
  [
    "it does not count on the other nodes of its zone",
    pod("p").priority(1).spec(antiAffinity("n", "zone")),
    nominee(),
    [of("a"), of("b")],
    "b",
  ],
])("%s", (_, wanting, other, nodes, want) => {
  expect(decide(wanting, other, nodes)).toBe(want);
});

test("a nominated pod that is already on the node is counted once", () => {
  const other = nominee().requests({ cpu: "2" });
  expect(decide(pod("p").requests({ cpu: "2" }), other, [of("a")], [other.on("a")])).toBe("a");
});
