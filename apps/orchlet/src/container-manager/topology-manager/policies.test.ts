import { expect, test } from "vitest";
import type { NumaNode } from "../topology/machine-topology.ts";
import { maskOf, nodesOf } from "../topology/numa-mask.ts";
import type { TopologyHint } from "./hint.ts";
import { closest, narrowest } from "./numa-distances.ts";
import { decideTopology, type TopologyPolicy } from "./policies.ts";

const hint = (nodes: readonly number[] | undefined, preferred: boolean): TopologyHint => ({
  nodes: nodes && maskOf(nodes),
  preferred,
});
type Given = readonly (readonly TopologyHint[] | undefined)[];

function decide(policy: TopologyPolicy, resources: Given, all = [0, 1]) {
  const providers = resources.map((hints, index) => new Map([[`r${index}`, hints]]));
  const { hint: found, admit } = decideTopology(policy, providers, maskOf(all), narrowest);
  return [found.nodes === undefined ? undefined : nodesOf(found.nodes), found.preferred, admit];
}

const either = [hint([0], true), hint([1], true), hint([0, 1], false)];

test.each<[string, TopologyPolicy, Given, readonly number[] | undefined, boolean, boolean]>([
  ["nothing is aligned", "none", [[]], undefined, true, true],
  ["no hints mean all nodes", "best-effort", [undefined], [0, 1], true, true],
  ["of equal nodes it is the first", "best-effort", [either], [0], true, true],
  ["a node that both can use", "restricted", [either, [hint([1], true), hint([0, 1], false)]], [1], true, true],
  ["different nodes", "best-effort", [[hint([0], true)], [hint([1], true)]], [0, 1], false, true],
  ["different nodes", "restricted", [[hint([0], true)], [hint([1], true)]], [0, 1], false, false],
  ["different nodes", "single-numa-node", [[hint([0], true)], [hint([1], true)]], undefined, false, false],
  ["impossible for one", "best-effort", [either, []], [0], false, true],
  ["impossible for one", "restricted", [either, []], [0], false, false],
  ["two nodes are needed", "restricted", [[hint([0, 1], true)]], [0, 1], true, true],
  ["two nodes are needed", "single-numa-node", [[hint([0, 1], true)]], undefined, false, false],
  ["one node is enough", "single-numa-node", [either, either], [0], true, true],
  ["nothing matters", "single-numa-node", [undefined, undefined], undefined, true, true],
  ["a single node that is not preferred", "restricted", [[hint([0], false), hint([0, 1], false)]], [0], false, false],
])("%s, policy %s", (_, policy, given, ...want) => {
  expect(decide(policy, given)).toEqual(want);
});

test("among hints that are not preferred, those with exactly the necessary number of nodes come first", () => {
  const all = [0, 1, 2, 3];
  const needsTwo = [hint([0, 1], false), hint([2, 3], false), hint([0, 1, 2, 3], false)];
  const anything = [hint([0], false), hint([2], false), hint([0, 1, 2, 3], false)];
  expect(decide("best-effort", [needsTwo, anything], all)).toEqual([[0, 1], false, true]);
});

test("the order of resources does not matter", () => {
  const lists = [either, [hint([1], true), hint([0, 1], false)], undefined, [hint([0, 1], true), hint([1], false)]];
  const want = decide("best-effort", lists);
  expect(decide("best-effort", lists.toReversed())).toEqual(want);
});

test("hints for many resources on eight NUMA nodes are merged quickly", () => {
  const all = Array.from({ length: 8 }, (_, node) => node);
  const every = Array.from({ length: 255 }, (_, index) => ({ nodes: BigInt(index + 1), preferred: index < 8 }));
  const startMs = performance.now();
  decide(
    "restricted",
    Array.from({ length: 6 }, () => every),
    all,
  );
  expect(performance.now() - startMs).toBeLessThan(5000);
});

// shows: topologyManagerPolicyOptions
test("prefer-closest-numa-nodes: of masks of the same size, the one with the closest nodes is chosen", () => {
  const distances = [
    [10, 30, 20, 30],
    [30, 10, 30, 20],
    [20, 30, 10, 30],
    [30, 20, 30, 10],
  ];
  const nodes = distances.map((row, id): NumaNode => ({ id, memoryBytes: 0, hugePages: new Map(), distances: row }));
  const compare = closest(nodes);
  const [far, near] = [maskOf([0, 1]), maskOf([1, 3])];
  expect([compare(far, near), compare(near, far), narrowest(near, far)]).toEqual([near, near, far]);
  expect(compare(maskOf([0, 2]), near)).toBe(maskOf([0, 2]));
  expect(compare(near, maskOf([2]))).toBe(maskOf([2]));
});
