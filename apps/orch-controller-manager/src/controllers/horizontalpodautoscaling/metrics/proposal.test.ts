import type { autoscalingV2 } from "@orchernetes/api";
import { labelSelectorAsSelector } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { pod } from "../../../testing/builders.ts";
import type { MetricsClient } from "./metrics-client.ts";
import { MetricError, type PodMetrics } from "./pod-metric.ts";
import { type MetricContext, proposalOf } from "./proposal.ts";

type Spec = autoscalingV2.MetricSpec;
type Target = autoscalingV2.MetricTarget;

const now = new Date("2024-01-01T01:00:00Z");
const rules = { tolerance: 0.1, cpuInitializationPeriodMs: 120_000, initialReadinessDelayMs: 10_000 };

/** Two ready pods, each with a container that requests one CPU. */
const pods = ["p0", "p1"].map((name) => {
  const made = pod(name, { ready: true });
  return {
    ...made,
    spec: { ...made.spec, containers: [{ name: "main", resources: { requests: { cpu: "1" } } }] },
    status: { ...made.status, startTime: "2024-01-01T00:00:00Z" },
  };
});
const metrics = (...values: readonly number[]): PodMetrics =>
  new Map(
    values.map((milliValue, i) => [`p${i}`, { milliValue, timestampMs: now.getTime() - 10_000, windowMs: 30_000 }]),
  );

const unreachable = (): never => {
  throw new MetricError("no metrics API");
};

function context(client: Partial<MetricsClient> = {}, changes: Partial<MetricContext> = {}): MetricContext {
  return {
    client: { resource: unreachable, pods: unreachable, object: unreachable, external: unreachable, ...client },
    namespace: "ns",
    specReplicas: 2,
    statusReplicas: 2,
    selector: labelSelectorAsSelector({ matchLabels: { app: "x" } }),
    pods,
    rules,
    containerMetrics: true,
    now,
    ...changes,
  };
}

const metric = { name: "hits" };
const selected = { name: "hits", selector: { matchLabels: { path: "a" } } };
const describedObject = { apiVersion: "v1", kind: "Service", name: "web" };

const resource = (target: Target): Spec => ({ type: "Resource", resource: { name: "cpu", target } });
const containerResource = (target: Target, container = "main"): Spec => ({
  type: "ContainerResource",
  containerResource: { name: "cpu", container, target },
});
const ofPods = (target: Target): Spec => ({ type: "Pods", pods: { metric, target } });
const ofObject = (target: Target, of = metric): Spec => ({
  type: "Object",
  object: { describedObject, metric: of, target },
});
const external = (target: Target, of: autoscalingV2.MetricIdentifier = metric): Spec => ({
  type: "External",
  external: { metric: of, target },
});
const utilization = (averageUtilization: number): Target => ({ type: "Utilization", averageUtilization });
const average = (averageValue: string): Target => ({ type: "AverageValue", averageValue });
const absolute = (value: string): Target => ({ type: "Value", value });

const using = (...values: readonly number[]) => ({ resource: async () => metrics(...values) });
const counting = (...values: readonly number[]) => ({ pods: async () => metrics(...values) });
const objectAt = (milli: number) => ({ object: async () => milli });
const externalAt = (milli: number) => ({ external: async () => milli });

test.each<readonly [string, Spec, Partial<MetricsClient>, number, string, object]>([
  [
    "utilization above the target",
    resource(utilization(50)),
    using(1000, 1000),
    4,
    "cpu resource utilization (percentage of request)",
    { averageUtilization: 100, averageValue: "1" },
  ],
  [
    "utilization within the tolerance",
    resource(utilization(50)),
    using(540, 540),
    2,
    "cpu resource utilization (percentage of request)",
    { averageUtilization: 54, averageValue: "540m" },
  ],
  ["an average value", resource(average("250m")), using(500, 1000), 6, "cpu resource", { averageValue: "750m" }],
  [
    "an average value goes before a utilization",
    resource({ type: "AverageValue", averageValue: "1", averageUtilization: 1 }),
    using(1000, 1000),
    2,
    "cpu resource",
    { averageValue: "1" },
  ],
  [
    "one container",
    containerResource(utilization(100)),
    using(2000, 1000),
    3,
    "cpu container resource utilization (percentage of request)",
    { averageUtilization: 150, averageValue: "1500m" },
  ],
  ["pods", ofPods(average("10")), counting(20_000, 40_000), 6, "pods metric hits", { averageValue: "30" }],
  ["pods that use nothing", ofPods(average("10")), counting(0, 0), 0, "pods metric hits", { averageValue: "0" }],
  ["an object by value", ofObject(absolute("10")), objectAt(25_000), 5, "Service metric hits", { value: "25" }],
  [
    "an object by average",
    ofObject(average("10")),
    objectAt(25_000),
    3,
    "external metric hits",
    { averageValue: "12500m" },
  ],
  [
    "an external metric by average",
    external(average("10")),
    externalAt(100_000),
    10,
    "external metric hits",
    { averageValue: "50" },
  ],
  [
    "a selected external metric",
    external(average("10"), selected),
    externalAt(100_000),
    10,
    "external metric hits(path=a)",
    { averageValue: "50" },
  ],
  [
    "an external metric by value",
    external(absolute("10")),
    externalAt(20_000),
    4,
    "external metric hits",
    { value: "20" },
  ],
  [
    "an external metric by both: the average",
    external({ type: "Value", value: "1", averageValue: "100" }),
    externalAt(200_000),
    2,
    "external metric hits",
    { averageValue: "100" },
  ],
])("%s", async (_, spec, client, replicas, name, current) => {
  const outcome = await proposalOf(spec, context(client));
  expect(outcome).toMatchObject({ type: "proposal", replicas, name, status: { type: spec.type } });
  if (outcome.type !== "proposal") throw new Error("expected a proposal");
  const { resource: a, containerResource: b, pods: c, object: d, external: e } = outcome.status;
  expect((a ?? b ?? c ?? d ?? e)?.current).toEqual(current);
});

const neither: Target = { type: "Utilization" };
const noTarget = (source: string) =>
  `invalid ${source} metric source: neither a value target nor an average value target was set`;
const noResourceTarget =
  "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set";

test.each<readonly [string, Spec, string, string, string]>([
  [
    "utilization without figures",
    resource(utilization(50)),
    "FailedGetResourceMetric",
    "failed to get cpu utilization: unable to get metrics for resource cpu: no metrics API",
    "failed to get cpu resource metric value: ",
  ],
  [
    "usage without figures",
    resource(average("1")),
    "FailedGetResourceMetric",
    "failed to get cpu usage: unable to get metrics for resource cpu: no metrics API",
    "failed to get cpu resource metric value: ",
  ],
  [
    "a resource without a target",
    resource(neither),
    "FailedGetResourceMetric",
    noResourceTarget,
    "failed to get cpu resource metric value: ",
  ],
  [
    "a container without a target",
    containerResource(neither),
    "FailedGetContainerResourceMetric",
    noResourceTarget,
    "failed to get cpu container metric value: ",
  ],
  [
    "a container without figures",
    containerResource(utilization(1)),
    "FailedGetContainerResourceMetric",
    "failed to get cpu utilization: unable to get metrics for resource cpu: no metrics API",
    "failed to get cpu container metric value: ",
  ],
  [
    "pods without figures",
    ofPods(average("1")),
    "FailedGetPodsMetric",
    "unable to get metric hits: no metrics API",
    "failed to get pods metric value: ",
  ],
  [
    "an object without figures",
    ofObject(absolute("1")),
    "FailedGetObjectMetric",
    "unable to get metric hits on Service ns/web: no metrics API",
    "failed to get object metric value: ",
  ],
  [
    "an object without a target",
    ofObject(neither),
    "FailedGetObjectMetric",
    noTarget("object"),
    "failed to get object metric value: ",
  ],
  [
    "an object whose type of target has no value",
    ofObject({ type: "Value", averageValue: "1" }),
    "FailedGetObjectMetric",
    noTarget("object"),
    "failed to get object metric value: ",
  ],
  [
    "an external metric without figures",
    external(average("1"), selected),
    "FailedGetExternalMetric",
    "unable to get external metric ns/hits/path=a: no metrics API",
    "failed to get hits external metric value: ",
  ],
  [
    "an external metric without a target",
    external(neither),
    "FailedGetExternalMetric",
    noTarget("external"),
    "failed to get hits external metric value: ",
  ],
])("failure: %s", async (_, spec, reason, message, prefix) => {
  const failure = { type: "failure", reason, message, error: prefix + message };
  // Such an autoscaler is wrong, whatever the metric is.
  const want = message.startsWith("invalid ") ? { ...failure, invalidSpec: true } : failure;
  expect(await proposalOf(spec, context())).toEqual(want);
});

test.each<Spec>([
  { type: "Nope" },
  { type: "" },
  { type: "Resource" },
  { type: "ContainerResource" },
  { type: "Pods" },
  { type: "Object" },
  { type: "External" },
  { type: "Pods", resource: { name: "cpu", target: utilization(1) } },
] as readonly Spec[])("a source that is none: %j", async (spec) => {
  const message = `unknown metric source type ${JSON.stringify(spec.type)}`;
  expect(await proposalOf(spec, context(using(1)))).toEqual({
    type: "failure",
    reason: "InvalidMetricSourceType",
    message,
    error: message,
    invalidSpec: true,
  });
});

test("metrics of containers are not read without the feature gate", async () => {
  let calls = 0;
  const client = {
    resource: async () => {
      calls++;
      return metrics(1, 1);
    },
  };
  expect(
    await proposalOf(containerResource(utilization(1)), context(client, { containerMetrics: false })),
  ).toMatchObject({
    type: "failure",
    message: "ContainerResource metric type is not supported: disabled by the feature gate",
  });
  expect(calls).toBe(0);
});

test("averages are shares of the pods that there are, values ratios to those that there should be", async () => {
  const replicas = async (spec: Spec, client: Partial<MetricsClient>, changes: Partial<MetricContext>) => {
    const outcome = await proposalOf(spec, context(client, changes));
    return outcome.type === "proposal" ? outcome.replicas : outcome.message;
  };
  // 10 pods share 100: 10 each, as wanted; 5 pods of which there should be 10 are not enough.
  for (const [spec, client] of [
    [external(average("10")), externalAt(100_000)],
    [ofObject(average("10")), objectAt(100_000)],
  ] as const) {
    expect(await replicas(spec, client, { specReplicas: 1, statusReplicas: 10 })).toBe(10);
    expect(await replicas(spec, client, { specReplicas: 10, statusReplicas: 5 })).toBe(10);
    expect(await replicas(spec, client, { specReplicas: 7, statusReplicas: 0 })).toBe(10);
  }
  for (const [spec, client] of [
    [external(absolute("10")), externalAt(10_500)],
    [ofObject(absolute("10")), objectAt(10_500)],
  ] as const)
    expect(await replicas(spec, client, { specReplicas: 7, statusReplicas: 1 })).toBe(7);
});

test("the metrics APIs are asked for what the source names", async () => {
  const asked: unknown[] = [];
  const note =
    <T>(result: T) =>
    async (...args: readonly unknown[]): Promise<T> => {
      asked.push(args.map((one) => (typeof one === "string" || one === describedObject ? one : "selector")));
      return result;
    };
  const client = { resource: note(metrics(1)), pods: note(metrics(1)), object: note(1), external: note(1) };
  const specs = [
    resource(average("1")),
    containerResource(average("1"), "side"),
    ofPods(average("1")),
    ofObject(absolute("1")),
    external(absolute("1")),
  ];
  for (const spec of specs) await proposalOf(spec, context(client));
  expect(asked).toEqual([
    ["cpu", "ns", "selector", ""],
    ["cpu", "ns", "selector", "side"],
    ["hits", "ns", "selector", "selector"],
    ["hits", "ns", describedObject, "selector"],
    ["hits", "ns", "selector"],
  ]);
});

test("an error of any class is the failure of the metric", async () => {
  const client = { external: () => Promise.reject(new TypeError("fetch failed")) };
  expect(await proposalOf(external(absolute("1")), context(client))).toMatchObject({
    type: "failure",
    message: "unable to get external metric ns/hits/: fetch failed",
  });
});
