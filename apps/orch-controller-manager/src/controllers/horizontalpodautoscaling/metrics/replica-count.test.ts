import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { pod } from "../../../testing/builders.ts";
import type { Pod } from "./pod-groups.ts";
import type { PodMetrics } from "./pod-metric.ts";
import { averageReplicas, perPodReplicas, utilizationReplicas, valueReplicas } from "./replica-count.ts";

const now = new Date("2024-01-01T01:00:00Z");
const rules = { tolerance: 0.1, cpuInitializationPeriodMs: 120_000, initialReadinessDelayMs: 10_000 };

/** A pod that requests one CPU; `use` is what it uses in thousandths, absent: nobody knows. */
interface Sketch {
  readonly use?: number;
  readonly phase?: "Running" | "Pending" | "Failed";
  readonly ready?: boolean;
  readonly started?: string;
  readonly readySince?: string;
  readonly deleting?: boolean;
  readonly request?: string | undefined;
  readonly measured?: string;
}

const long = "2024-01-01T00:00:00Z";

function world(sketches: readonly Sketch[]): { readonly pods: readonly Pod[]; readonly metrics: PodMetrics } {
  const pods = sketches.map((sketch, i): Pod => {
    const { phase = "Running", ready = true, started = long, readySince = long, deleting = false } = sketch;
    const made = pod(`p${i}`, { phase, ready, deleting });
    const request = "request" in sketch ? sketch.request : "1";
    const requests: Readonly<Record<string, string>> = request === undefined ? {} : { cpu: request };
    const conditions: readonly core.PodCondition[] = [
      { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: readySince },
    ];
    return {
      ...made,
      spec: { ...made.spec, containers: [{ name: "c", resources: { requests } }] },
      status: { ...made.status, startTime: started, conditions },
    };
  });
  const metrics = new Map(
    sketches.flatMap(({ use, measured = "2024-01-01T00:59:50Z" }, i) =>
      use === undefined
        ? []
        : [[`p${i}`, { milliValue: use, timestampMs: Date.parse(measured), windowMs: 30_000 }] as const],
    ),
  );
  return { pods, metrics };
}

const uses = (...use: readonly number[]): readonly Sketch[] => use.map((one) => ({ use: one }));
const starting = { started: "2024-01-01T00:59:00Z", readySince: "2024-01-01T00:59:00Z" };

test.each<[string, readonly Sketch[], number, number, number, number?]>([
  // name, pods, current, target %, want, want utilization
  ["above target", uses(300, 500, 700), 3, 30, 5, 50],
  ["below target", uses(100, 300, 500, 250, 250), 5, 50, 3, 28],
  ["within tolerance above", uses(800, 900, 1000), 3, 85, 3, 90],
  ["within tolerance below", uses(500, 500), 2, 54, 2, 50],
  ["a pending pod holds the scale-up back", [...uses(1000, 1000), { phase: "Pending" }], 3, 50, 4, 100],
  ["a pending pod may undo the scale-up", [...uses(600), { phase: "Pending" }], 2, 50, 2, 60],
  ["a pending pod does not matter below target", [...uses(100, 100), { phase: "Pending" }], 3, 50, 1, 10],
  ["a starting pod counts as unready", [...uses(1000), { use: 9000, ready: false, ...starting }], 2, 50, 2, 100],
  [
    "figures from before a whole window of readiness do not count",
    [...uses(1000), { use: 9000, ...starting, readySince: "2024-01-01T00:59:45Z" }],
    2,
    50,
    2,
    100,
  ],
  ["a started pod that never was ready is left out", [...uses(400), { use: 9000, ready: false }], 2, 50, 1, 40],
  [
    "a pod that has lost readiness counts",
    [...uses(500), { use: 500, ready: false, readySince: "2024-01-01T00:40:00Z" }],
    2,
    25,
    4,
    50,
  ],
  ["without figures: thought idle on the way up", [...uses(1000, 1000), {}], 3, 50, 4, 100],
  ["without figures: thought busy on the way down", [...uses(100, 100), {}], 3, 50, 3, 10],
  ["without figures: thought at the target when that is above 100%", [...uses(100, 100), {}], 3, 200, 2, 10],
  [
    "failed and leaving pods are left out",
    [...uses(1000), { use: 1, phase: "Failed" }, { use: 1, deleting: true }],
    1,
    50,
    2,
    100,
  ],
  ["as many as ready pods call for, not as there should be", uses(1000, 1000), 10, 50, 4, 100],
])("utilization: %s", (_, sketches, currentReplicas, target, want, utilization) => {
  const figures = { ...world(sketches), currentReplicas, resource: "cpu" };
  expect(utilizationReplicas(figures, target, "", rules, now)).toMatchObject({ replicas: want, utilization });
});

test.each<[string, readonly Sketch[], string]>([
  ["no pods", [], "no pods returned by selector while calculating replica count"],
  ["only pending pods", [{ phase: "Pending" }], "did not receive metrics for targeted pods (pods might be unready)"],
  ["no request", [{ use: 1, request: undefined }], "missing request for cpu in container c of Pod p0"],
  ["nothing requested", [{ use: 1, request: "0" }], "no metrics returned matched known pods"],
])("utilization is unknown: %s", (_, sketches, want) => {
  const figures = { ...world(sketches), currentReplicas: 1, resource: "cpu" };
  expect(() => utilizationReplicas(figures, 50, "", rules, now)).toThrow(want);
});

test.each<[string, readonly Sketch[], number, number]>([
  ["above target", uses(20_000, 10_000, 30_000), 15_000, 4],
  ["within tolerance", uses(10_000, 11_000), 10_000, 2],
  ["without figures: thought at the target on the way down", [...uses(2_000, 2_000), {}], 10_000, 2],
  ["without figures: thought idle on the way up", [...uses(20_000), {}], 10_000, 2],
  ["readiness does not matter", [...uses(20_000), { use: 20_000, ready: false, ...starting }], 10_000, 4],
])("average: %s", (_, sketches, target, want) => {
  const figures = { ...world(sketches), currentReplicas: sketches.length, resource: "" };
  expect(averageReplicas(figures, target, rules, now).replicas).toBe(want);
});

test.each<[string, number, number, number, readonly Sketch[], number]>([
  ["above target: by the ready pods", 20_000, 15_000, 3, [...uses(0, 0), { ready: false }], 3],
  ["within tolerance", 10_500, 10_000, 7, uses(0), 7],
  ["from zero", 2_500, 1_000, 0, [], 3],
  ["from zero, nothing to do", 0, 1_000, 0, [], 0],
])("value: %s", (_, usage, target, current, sketches, want) => {
  expect(valueReplicas(usage, target, current, world(sketches).pods, rules)).toEqual({
    replicas: want,
    usageMilli: usage,
  });
});

test.each([
  ["above target", 8_600, 2_150, 3, 4, 2867],
  ["within tolerance", 8_600, 2_867, 3, 3, 2867],
  ["from zero", 5_000, 2_000, 0, 3, 5_000],
])("share: %s", (_, usage, target, current, replicas, usageMilli) => {
  expect(perPodReplicas(usage, target, current, rules)).toEqual({ replicas, usageMilli });
});
