import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import type { PodUse } from "../stats/summary/pod-use.ts";
import { testPod } from "../testing/pods.ts";
import { type Candidate, rankPods } from "./rank-pods.ts";
import { evictionSignals } from "./signals.ts";

const cases = 1000;

type Numbers = (bound: number) => number;
type Amounts = Readonly<Record<string, number>>;

/** A pod in the terms of the model. */
interface Plain {
  readonly name: string;
  readonly priority: number;
  /** Requests of the containers, those of init containers, and the overhead. */
  readonly requests: readonly Amounts[];
  readonly initRequests: readonly Amounts[];
  readonly overhead: Amounts;
  /** Undefined if nothing is known of its use. */
  readonly use:
    | {
        readonly memory: number | undefined;
        readonly processes: number;
        /** Bytes and inodes, of the layer and logs of each container and of each volume. */
        readonly layers: readonly (readonly [number, number])[];
        readonly logs: readonly (readonly [number, number])[];
        readonly volumes: Readonly<Record<string, readonly [number, number]>>;
      }
    | undefined;
}

const amounts = (below: Numbers): Amounts => ({
  ...(below(2) === 0 && { memory: below(4) }),
  ...(below(2) === 0 && { "ephemeral-storage": below(4) }),
});
const pair = (below: Numbers) => [below(4), below(4)] as const;
const some = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make);

function plainPod(name: string, below: Numbers): Plain {
  const count = 1 + below(2);
  const volumes = { scratch: pair(below), config: pair(below), memory: pair(below), claim: pair(below) };
  return {
    name,
    priority: below(3) - 1,
    requests: some(count, () => amounts(below)),
    initRequests: some(below(2), () => amounts(below)),
    overhead: amounts(below),
    use:
      below(6) === 0
        ? undefined
        : {
            memory: below(5) === 0 ? undefined : below(8),
            processes: below(4),
            layers: some(count, () => pair(below)),
            logs: some(count, () => pair(below)),
            volumes,
          },
  };
}

const texts = (list: Amounts) => Object.fromEntries(Object.entries(list).map(([name, value]) => [name, String(value)]));
const disk = ([usedBytes, inodesUsed]: readonly [number, number]) => ({ usedBytes, inodesUsed });
const nothing = [0, 0] as const;

function candidateOf({ name, priority, requests, initRequests, overhead, use }: Plain): Candidate {
  const containers = (prefix: string, list: readonly Amounts[]) =>
    list.map((one, i) => ({ name: `${prefix}${i}`, image: "i", resources: { requests: texts(one) } }));
  const volumes = [
    { name: "scratch", emptyDir: {} },
    { name: "config", configMap: { name: "c" } },
    { name: "memory", emptyDir: { medium: "Memory" } },
    { name: "claim", persistentVolumeClaim: { claimName: "c" } },
  ];
  const spec = { priority, overhead: texts(overhead), volumes };
  const pod = testPod(
    { ...spec, containers: containers("c", requests), initContainers: containers("i", initRequests) },
    { name },
  );
  const known: PodUse | undefined = use && {
    memoryBytes: use.memory,
    processes: use.processes,
    containers: requests.map((_, i) => ({
      name: `c${i}`,
      memoryBytes: 0,
      rootfs: disk(use.layers[i] ?? nothing),
      logs: disk(use.logs[i] ?? nothing),
    })),
    volumes: new Map(Object.entries(use.volumes).map(([volume, used]) => [volume, disk(used)])),
    ephemeral: disk(nothing),
  };
  return { pod, use: known };
}

/** The request of the original's eviction manager. */
function requestOf({ requests, initRequests, overhead }: Plain, resource: string): number {
  let total = 0;
  for (const one of requests) total += one[resource] ?? 0;
  for (const one of initRequests) total = Math.max(total, one[resource] ?? 0);
  return total === 0 ? 0 : total + (overhead[resource] ?? 0);
}

/** What a pod uses of a disk: bytes (0) or inodes (1). */
function diskUse({ use }: Plain, kind: 0 | 1, parts: readonly string[]): number {
  let total = 0;
  if (parts.includes("root")) for (const one of use?.layers ?? []) total += one[kind];
  if (parts.includes("logs")) for (const one of use?.logs ?? []) total += one[kind];
  if (parts.includes("volumes")) total += (use?.volumes.scratch?.[kind] ?? 0) + (use?.volumes.config?.[kind] ?? 0);
  return total;
}

/** Which of two pods is evicted first by the original's comparisons, one after the other: negative for the first. */
function compare(signal: string, hasImageDisk: boolean, a: Plain, b: Plain): number {
  const trueFirst = (one: boolean, other: boolean): number => (one === other ? 0 : one ? -1 : 1);
  const known = (of: (pod: Plain) => number, isBoolean: boolean): number => {
    if (a.use === undefined || b.use === undefined) return trueFirst(a.use === undefined, b.use === undefined);
    return isBoolean ? trueFirst(of(a) > 0, of(b) > 0) : of(b) - of(a);
  };
  if (signal === "pid.available") return a.priority - b.priority || known(({ use }) => use?.processes ?? 0, false);
  if (signal.endsWith("emory.available")) {
    const above = (pod: Plain) => (pod.use?.memory ?? 0) - requestOf(pod, "memory");
    return known(above, true) || a.priority - b.priority || known(above, false);
  }
  const ofNode = hasImageDisk ? ["logs", "volumes"] : ["root", "logs", "volumes"];
  const ofImages = hasImageDisk ? ["root"] : ofNode;
  const parts = signal.startsWith("nodefs") ? ofNode : ofImages;
  const kind = signal.endsWith("inodesFree") ? 1 : 0;
  const excess = (pod: Plain) => diskUse(pod, kind, parts) - (kind === 1 ? 0 : requestOf(pod, "ephemeral-storage"));
  // The original compares inodes with the request for space here.
  const above = (pod: Plain) => diskUse(pod, kind, parts) - requestOf(pod, "ephemeral-storage");
  return known(excess, true) || a.priority - b.priority || known(above, false);
}

test(`pods are evicted in the order of the original for each signal, in ${cases} random cases`, () => {
  const below = seededNumbers(41);
  const orders = new Map<string, number>();
  for (let n = 0; n < cases; n++) {
    const pods = some(2 + below(5), () => below(1)).map((_, i) => plainPod(`p${i}`, below));
    const signal = evictionSignals[below(evictionSignals.length)] ?? "memory.available";
    const hasImageDisk = below(2) === 0;
    // Pods that compare as equal stay in their order; the original leaves it open.
    const want = pods.toSorted((a, b) => compare(signal, hasImageDisk, a, b)).map(({ name }) => name);
    const ranked = rankPods(pods.map(candidateOf), signal, { hasImageDisk }).map(({ pod }) => pod.metadata.name);
    if (want.join() !== pods.map(({ name }) => name).join()) orders.set(signal, (orders.get(signal) ?? 0) + 1);
    if (ranked.join() !== want.join()) expect(ranked, JSON.stringify({ n, signal, hasImageDisk, pods })).toEqual(want);
  }
  for (const signal of evictionSignals) expect(orders.get(signal)).toBeGreaterThan(cases / 20);
});
