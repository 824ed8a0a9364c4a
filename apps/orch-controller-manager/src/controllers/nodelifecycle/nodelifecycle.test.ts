import type { core } from "@orchernetes/api";
import { describe, expect, test } from "vitest";
import { meta } from "../../testing/builders.ts";
import { assessNode, type Node, type NodeHealth } from "./node-health.ts";
import { evictionTaint, withEvictionTaint, withNoScheduleTaints } from "./taints.ts";
import { disruptionOf } from "./zones.ts";

const start = Date.parse("2024-01-01T00:00:00Z");
const at = (seconds: number): Date => new Date(start + seconds * 1000);
const iso = (seconds: number): string => at(seconds).toISOString();

interface Sketch {
  readonly ready?: "True" | "False" | "Unknown";
  readonly heartbeat?: number;
  readonly conditions?: Readonly<Record<string, "True" | "False" | "Unknown">>;
  readonly unschedulable?: boolean;
  readonly taints?: readonly core.Taint[];
  readonly zone?: string;
}
const node = (name: string, sketch: Sketch = {}): Node => ({
  metadata: { ...meta(name), labels: sketch.zone ? { "topology.orchernetes.io/zone": sketch.zone } : {} },
  spec: { ...(sketch.unschedulable ? { unschedulable: true } : {}), taints: sketch.taints ?? [] },
  status: {
    conditions: [
      ...(sketch.ready === undefined
        ? []
        : [{ type: "Ready", status: sketch.ready, lastHeartbeatTime: iso(sketch.heartbeat ?? 0) }]),
      ...Object.entries(sketch.conditions ?? {}).map(([type, status]) => ({ type, status })),
    ],
  } as unknown as core.NodeStatus,
});
const limits = { gracePeriodMs: 40_000, startupGracePeriodMs: 60_000 };

/** Looks at a node every 10 s; what it is at each time is given. Yields when it was first silenced. */
function watch(
  nodeAt: (seconds: number) => Node,
  leaseAt: (seconds: number) => number | undefined,
): { readonly silentAt: number | undefined; readonly unready: readonly number[]; readonly status?: core.NodeStatus } {
  let health: NodeHealth | undefined;
  const unready: number[] = [];
  for (let seconds = 0; seconds <= 200; seconds += 10) {
    const renewed = leaseAt(seconds);
    const lease = renewed === undefined ? undefined : { spec: { renewTime: iso(renewed) } };
    const verdict = assessNode(nodeAt(seconds), lease, health, limits, at(seconds));
    health = verdict.health;
    if (verdict.becameUnready) unready.push(seconds);
    if (verdict.status !== undefined) return { silentAt: seconds, unready, status: verdict.status };
  }
  return { silentAt: undefined, unready };
}

describe("a node", () => {
  const ready = node("n", { ready: "True" });
  test.each<[string, (s: number) => Node, (s: number) => number | undefined, number | undefined]>([
    ["that renews its lease is alive", () => ready, (s) => s, undefined],
    ["that reports is alive", (s) => node("n", { ready: "True", heartbeat: s }), () => undefined, undefined],
    ["that stops renewing is silent after the grace period", () => ready, (s) => Math.min(s, 60), 110],
    ["that never reported is silent after its start-up", () => node("n"), () => undefined, 70],
  ])("%s", (_, nodeAt, leaseAt, want) => {
    expect(watch(nodeAt, leaseAt).silentAt).toBe(want);
  });

  test("that is silent has unknown conditions", () => {
    const { status, unready } = watch(
      () => node("n", { ready: "True", conditions: { MemoryPressure: "False", Other: "True" } }),
      () => undefined,
    );
    expect(unready).toEqual([50]);
    expect(status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).toEqual([
      "Ready Unknown NodeStatusUnknown",
      "MemoryPressure Unknown NodeStatusUnknown",
      "Other True undefined",
      "DiskPressure Unknown NodeStatusNeverUpdated",
      "PIDPressure Unknown NodeStatusNeverUpdated",
    ]);
  });

  test("that was silenced comes back with its lease", () => {
    const ready = node("n", { ready: "True" });
    const { health } = assessNode(ready, undefined, undefined, limits, at(0));
    const silent = assessNode(ready, undefined, health, limits, at(50));
    const written = { ...ready, status: silent.status ?? ready.status };
    const still = assessNode(written, undefined, silent.health, limits, at(60));
    expect([still.status, still.health.probedMs]).toEqual([undefined, start]);
    const back = assessNode(node("n", { ready: "True", heartbeat: 70 }), undefined, still.health, limits, at(70));
    expect(back.health).toMatchObject({ probedMs: at(70).getTime(), readyStatus: "True" });
  });
});

describe("taints", () => {
  const foreign: core.Taint = { key: "mine", effect: "NoSchedule" };
  test.each<[string, Sketch, readonly string[] | undefined]>([
    ["a good node", { ready: "True" }, undefined],
    ["not ready", { ready: "False" }, ["not-ready"]],
    ["unreachable", { ready: "Unknown" }, ["unreachable"]],
    [
      "cordoned, under pressure",
      { ready: "True", unschedulable: true, conditions: { MemoryPressure: "True", PIDPressure: "False" } },
      ["unschedulable", "memory-pressure"],
    ],
    [
      "good again",
      { ready: "True", taints: [foreign, { key: "node.orchernetes.io/not-ready", effect: "NoSchedule" }] },
      ["mine"],
    ],
    [
      "as wanted already",
      { ready: "False", taints: [{ key: "node.orchernetes.io/not-ready", effect: "NoSchedule" }] },
      undefined,
    ],
  ])("NoSchedule: %s", (_, sketch, want) => {
    const taints = withNoScheduleTaints(node("n", sketch), at(0));
    expect(taints?.map(({ key }) => key.replace("node.orchernetes.io/", ""))).toEqual(want);
  });

  const notReady: core.Taint = { key: "node.orchernetes.io/not-ready", effect: "NoExecute" };
  test.each<[string, Sketch, readonly string[] | undefined]>([
    ["a good node", { ready: "True" }, undefined],
    ["not ready", { ready: "False", taints: [foreign] }, ["mine", "not-ready"]],
    ["first not ready, then unreachable", { ready: "Unknown", taints: [notReady] }, ["unreachable"]],
    ["good again", { ready: "True", taints: [notReady] }, []],
    ["as wanted already", { ready: "False", taints: [notReady] }, undefined],
  ])("NoExecute: %s", (_, sketch, want) => {
    const given = node("n", sketch);
    const taints = withEvictionTaint(given, evictionTaint(given), at(0));
    expect(taints?.map(({ key }) => key.replace("node.orchernetes.io/", ""))).toEqual(want);
  });
});

describe("eviction rates", () => {
  const zoneLimits = { evictionRate: 0.1, secondaryEvictionRate: 0.01, largeClusterSize: 5, unhealthyThreshold: 0.55 };
  const nodesOf = (zone: string, ready: number, unready: number): Node[] => [
    ...Array.from({ length: ready }, (_, i) => node(`${zone}r${i}`, { zone, ready: "True" })),
    ...Array.from({ length: unready }, (_, i) => node(`${zone}u${i}`, { zone, ready: "Unknown" })),
  ];
  const excluded = (nodes: readonly Node[]): Node[] =>
    nodes.map((given) => ({
      ...given,
      metadata: {
        ...given.metadata,
        labels: { ...given.metadata.labels, "node.orchernetes.io/exclude-disruption": "" },
      },
    }));
  test.each<[string, readonly Node[], readonly number[]]>([
    ["healthy", nodesOf("a", 3, 1), [0.1]],
    ["small and disrupted", nodesOf("a", 1, 4), [0]],
    ["large and disrupted", nodesOf("a", 2, 6), [0.01]],
    ["one zone silent", [...nodesOf("a", 0, 3), ...nodesOf("b", 3, 0)], [0.1, 0.1]],
    ["nodes that do not count", [...nodesOf("a", 1, 3), ...excluded(nodesOf("a", 0, 9))], [0]],
    ["all that count are silent", [...nodesOf("a", 0, 3), ...excluded(nodesOf("b", 1, 0))], [0, 0]],
    ["all zones silent", [...nodesOf("a", 0, 3), ...nodesOf("b", 0, 1)], [0, 0]],
  ])("%s", (_, nodes, want) => {
    expect([...disruptionOf(nodes, zoneLimits).rates.values()]).toEqual(want);
  });
});
