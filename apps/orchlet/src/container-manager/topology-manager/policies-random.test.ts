import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { countNodes, type NumaMask, nodesOf } from "../topology/numa-mask.ts";
import type { ResourceHints, TopologyHint } from "./hint.ts";
import { closest, narrowest } from "./numa-distances.ts";
import { decideTopology } from "./policies.ts";

type Next = ReturnType<typeof seededNumbers>;
type Policy = "best-effort" | "restricted" | "single-numa-node";
interface Merged {
  readonly nodes: NumaMask;
  readonly preferred: boolean;
}

/** Every choice of one element of each list, the last list varying first. */
const choices = <T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] =>
  lists.reduce<readonly (readonly T[])[]>(
    (all, list) => all.flatMap((some) => list.map((one) => [...some, one])),
    [[]],
  );

/** The hints of all resources; one that cannot be aligned is not preferred anywhere. */
function listsOf(providers: readonly ResourceHints[]): readonly (readonly TopologyHint[])[] {
  const lists: (readonly TopologyHint[])[] = [];
  for (const provider of providers) {
    if (provider.size === 0) lists.push([{ nodes: undefined, preferred: true }]);
    for (const hints of provider.values())
      lists.push(
        hints?.length === 0
          ? [{ nodes: undefined, preferred: false }]
          : (hints ?? [{ nodes: undefined, preferred: true }]),
      );
  }
  return lists;
}

/** Whether a candidate replaces the best one until now: the cases of the original, one after the other. */
function isBetter(
  best: Merged,
  candidate: Merged,
  enough: number,
  isFitter: (a: NumaMask, b: NumaMask) => boolean,
): boolean {
  if (best.preferred !== candidate.preferred) return candidate.preferred;
  const fitter = candidate.nodes !== best.nodes && isFitter(candidate.nodes, best.nodes);
  if (best.preferred) return fitter;
  const [have, found] = [countNodes(best.nodes), countNodes(candidate.nodes)];
  if (have > enough) return fitter;
  if (have === enough) return found === enough && fitter;
  if (found > enough) return false;
  return found === enough || found > have || (found === have && fitter);
}

/** The decision by looking at every combination of hints. */
function model(
  policy: Policy,
  providers: readonly ResourceHints[],
  all: NumaMask,
  distances: readonly (readonly number[])[],
) {
  const mean = (mask: NumaMask) => {
    const ids = nodesOf(mask);
    return (
      ids.flatMap((a) => ids.map((b) => distances[a]?.[b] ?? 0)).reduce((sum, one) => sum + one, 0) / ids.length ** 2
    );
  };
  const isFitter = (a: NumaMask, b: NumaMask): boolean => {
    if (countNodes(a) !== countNodes(b)) return countNodes(a) < countNodes(b);
    if (distances.length > 0 && mean(a) !== mean(b)) return mean(a) < mean(b);
    return a < b;
  };
  const isSingle = ({ nodes, preferred }: TopologyHint) =>
    preferred && (nodes === undefined || countNodes(nodes) === 1);
  const lists = listsOf(providers).map((list) => (policy === "single-numa-node" ? list.filter(isSingle) : list));
  const enough = Math.max(
    0,
    ...lists.map((list) => {
      const counts = list.flatMap(({ nodes }) => (nodes === undefined ? [] : [countNodes(nodes)]));
      return counts.length === 0 ? 0 : Math.min(...counts);
    }),
  );
  let best: Merged | undefined;
  for (const hints of choices(lists)) {
    const named = hints.flatMap(({ nodes }) => (nodes === undefined ? [] : [nodes]));
    const nodes = named.reduce((common, one) => common & one, all);
    const preferred = hints.every((one) => one.preferred) && named.every((one) => one === named[0]);
    if (nodes === 0n) continue;
    if (best === undefined || isBetter(best, { nodes, preferred }, enough, isFitter)) best = { nodes, preferred };
  }
  const { nodes, preferred } = best ?? { nodes: all, preferred: false };
  const isAny = policy === "single-numa-node" && nodes === all;
  return { hint: { nodes: isAny ? undefined : nodes, preferred }, admit: policy === "best-effort" || preferred };
}

function randomHints(next: Next, count: number): readonly TopologyHint[] | undefined {
  if (next(8) === 0) return undefined;
  return Array.from({ length: next(5) }, () => ({
    nodes: next(10) === 0 ? undefined : BigInt(1 + next(2 ** count - 1)),
    preferred: next(2) === 0,
  }));
}

test("every policy decides as if it compared all combinations of hints", () => {
  const next = seededNumbers(9);
  for (let round = 0; round < 4000; round++) {
    const count = 1 + next(4);
    const all = 2n ** BigInt(count) - 1n;
    const providers = Array.from(
      { length: 1 + next(3) },
      (): ResourceHints => new Map(Array.from({ length: next(3) }, (_, i) => [`r${i}`, randomHints(next, count)])),
    );
    const distances = Array.from({ length: count }, (_, a) =>
      Array.from({ length: count }, (__, b) => (a === b ? 10 : 11 + next(3))),
    );
    const policy = (["best-effort", "restricted", "single-numa-node"] as const)[next(3)] ?? "restricted";
    const isClosest = policy !== "single-numa-node" && next(2) === 0;
    const nodes = distances.map((row, id) => ({
      id,
      memoryBytes: 0,
      hugePages: new Map<string, number>(),
      distances: row,
    }));
    const shown = { round, policy, isClosest, providers };
    expect({ ...shown, ...decideTopology(policy, providers, all, isClosest ? closest(nodes) : narrowest) }).toEqual({
      ...shown,
      ...model(policy, providers, all, isClosest ? distances : []),
    });
  }
});
