import type { autoscalingV2 } from "@orchernetes/api";
import type { CannedAnswer, FakeApiServer } from "@orchernetes/client/testing";
import { createMetrics } from "@orchernetes/component";
import { systemClock } from "@orchernetes/kernel";
import { beforeEach, expect, test, vi } from "vitest";
import { pod } from "../../testing/builders.ts";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { horizontalPodAutoscalingController } from "./controller.ts";

type Metric = autoscalingV2.MetricSpec;

const group = (name: string, ...versions: readonly string[]) => ({
  name,
  versions: versions.map((version) => ({ groupVersion: `${name}/${version}`, version })),
  preferredVersion: { groupVersion: `${name}/${versions[0]}`, version: versions[0] },
});
const documents: Readonly<Record<string, unknown>> = {
  "/apis/apps": group("apps", "v1"),
  "/apis/apps/v1": { resources: [{ name: "deployments", kind: "Deployment", namespaced: true }] },
  "/apis/custom.metrics.o8s.io": group("custom.metrics.o8s.io", "v1beta1", "v1beta2"),
};
const scalePath = "/apis/apps/v1/namespaces/ns/deployments/web/scale";

let server: FakeApiServer;
/** Answers of the metrics APIs by path. */
let figures: Record<string, unknown>;
let replicas: number;
beforeEach(async () => {
  figures = {};
  replicas = 2;
  server = await serverForTest();
  server.hook = ({ method, path, body }): CannedAnswer | undefined => {
    if (path in documents) return { status: 200, body: documents[path] };
    if (path in figures) return { status: 200, body: { items: figures[path] } };
    if (path.startsWith("/apis/") && path.includes("metrics.o8s.io/"))
      return { status: 404, body: "404 page not found\n" };
    if (path !== scalePath) return undefined;
    if (method === "PUT") replicas = (JSON.parse(body) as WrittenScale).spec.replicas;
    const scale = { metadata: { name: "web", namespace: "ns" }, spec: { replicas } };
    return { status: 200, body: { ...scale, status: { replicas, selector: "app=x" } } };
  };
});

interface WrittenScale {
  readonly spec: { readonly replicas: number };
}

function start(containerMetrics = true): void {
  startControllers(server, [horizontalPodAutoscalingController], {
    horizontalpodautoscaling: { containerMetrics },
  });
}

/** An autoscaler of "web", whose two pods request half a CPU each. */
function given(metric: Metric, kind = "Deployment"): void {
  for (const name of ["a", "b"]) {
    const made = pod(name, { ready: true });
    const containers = [{ name: "c", resources: { requests: { cpu: "500m" } } }];
    server.put("/api/v1/pods", {
      ...made,
      metadata: { ...made.metadata },
      spec: { containers },
      status: { ...made.status, startTime: "2024-01-01T00:00:00Z" },
    });
  }
  server.put("/apis/autoscaling/v2/horizontalpodautoscalers", {
    metadata: { name: "h", namespace: "ns" },
    spec: {
      minReplicas: 1,
      maxReplicas: 9,
      scaleTargetRef: { apiVersion: "apps/v1", kind, name: "web" },
      metrics: [metric],
    },
    status: {},
  });
}

const status = (): autoscalingV2.HorizontalPodAutoscalerStatus | undefined =>
  server.objects("/apis/autoscaling/v2/horizontalpodautoscalers")[0]?.status as never;
const condition = (type: string) => status()?.conditions?.find((one) => one.type === type);
const events = (): readonly string[] =>
  server.objects("/api/v1/events").map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

const cpu: Metric = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};
const usage = (name: string, used: string) => ({
  metadata: { name, namespace: "ns" },
  timestamp: "2024-01-01T01:00:00Z",
  window: "30s",
  containers: [{ name: "c", usage: { cpu: used, memory: "1Mi" } }],
});
const podMetrics = "/apis/metrics.o8s.io/v1beta1/namespaces/ns/pods";
const value = (amount: string, of = "a") => ({
  describedObject: { name: of },
  timestamp: "2024-01-01T01:00:00Z",
  value: amount,
});

test.each<[string, Metric, Record<string, unknown>, number, object]>([
  // name, metric, answers of the metrics APIs, replicas wanted, current
  [
    "utilization of a resource",
    cpu,
    { [podMetrics]: [usage("a", "500m"), usage("b", "500000000n")] },
    4,
    { resource: { name: "cpu", current: { averageUtilization: 100, averageValue: "500m" } } },
  ],
  [
    "a resource of one container",
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "c", target: { type: "AverageValue", averageValue: "100m" } },
    },
    { [podMetrics]: [usage("a", "150m"), usage("b", "250m")] },
    4,
    { containerResource: { name: "cpu", container: "c", current: { averageValue: "200m" } } },
  ],
  [
    "a custom metric of pods, of the better version",
    { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "10" } } },
    { "/apis/custom.metrics.o8s.io/v1beta2/namespaces/ns/pods/*/qps": [value("12"), value("18", "b")] },
    3,
    { pods: { metric: { name: "qps" }, current: { averageValue: "15" } } },
  ],
  [
    "a custom metric of an object",
    {
      type: "Object",
      object: {
        describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        metric: { name: "hits" },
        target: { type: "Value", value: "10" },
      },
    },
    { "/apis/custom.metrics.o8s.io/v1beta2/namespaces/ns/deployments.apps/web/hits": [value("15")] },
    3,
    { object: { metric: { name: "hits" }, current: { value: "15" } } },
  ],
  [
    "a custom metric of the namespace",
    {
      type: "Object",
      object: {
        describedObject: { apiVersion: "v1", kind: "Namespace", name: "ns" },
        metric: { name: "hits" },
        target: { type: "AverageValue", averageValue: "5" },
      },
    },
    { "/apis/custom.metrics.o8s.io/v1beta2/namespaces/ns/metrics/hits": [value("20")] },
    4,
    { object: { metric: { name: "hits" }, current: { averageValue: "5" } } },
  ],
  [
    "the series of an external metric",
    {
      type: "External",
      external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
    },
    { "/apis/external.metrics.o8s.io/v1beta1/namespaces/ns/queue": [value("20"), value("10500m")] },
    4,
    { external: { metric: { name: "queue" } } },
  ],
])("%s scales the target", async (_, metric, answers, wanted, current) => {
  figures = answers;
  given(metric);
  start();
  await vi.waitFor(() => expect(replicas).toBe(wanted), { timeout: 10_000 });
  await vi.waitFor(() => expect(condition("AbleToScale")?.reason).toBe("SucceededRescale"), { timeout: 10_000 });
  expect(status()?.desiredReplicas).toBeGreaterThanOrEqual(wanted);
  expect(status()?.currentMetrics?.[0]).toMatchObject(metric.type === "External" ? current : { type: metric.type });
  await vi.waitFor(
    () => expect(events().join("\n")).toContain(`Normal SuccessfulRescale: New size: ${wanted}; reason: `),
    {
      timeout: 10_000,
    },
  );
});

const noMetrics =
  "unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.o8s.io)";
const noCpu = `failed to get cpu utilization: unable to get metrics for resource cpu: ${noMetrics}`;
const container: Metric = {
  type: "ContainerResource",
  containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 50 } },
};
const compute = "the HPA was unable to compute the replica count: ";
const invalid = "Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: ";

test.each<
  [string, Metric, string, boolean, readonly [type: string, reason: string, message: string], readonly string[]]
>([
  // name, metric, kind of the target, containers count, condition, events
  [
    "no metrics API",
    cpu,
    "Deployment",
    true,
    ["ScalingActive", "FailedGetResourceMetric", `${compute}${noCpu}`],
    [`Warning FailedGetResourceMetric: ${noCpu}`, `${invalid}failed to get cpu resource metric value: ${noCpu}`],
  ],
  [
    "no external metrics API",
    { type: "External", external: { metric: { name: "q" }, target: { type: "Value", value: "1" } } },
    "Deployment",
    true,
    [
      "ScalingActive",
      "FailedGetExternalMetric",
      `${compute}unable to get external metric ns/q/: unable to fetch metrics from external metrics API: the server could not find the requested resource (get q.external.metrics.o8s.io)`,
    ],
    [],
  ],
  [
    "metrics of containers are switched off",
    container,
    "Deployment",
    false,
    [
      "ScalingActive",
      "FailedGetContainerResourceMetric",
      `${compute}ContainerResource metric type is not supported: disabled by the feature gate`,
    ],
    [],
  ],
  [
    "the target's kind is not served",
    cpu,
    "Nothing",
    true,
    [
      "AbleToScale",
      "FailedGetScale",
      `the HPA controller was unable to get the target's current scale: no matches for kind "Nothing" in group "apps"`,
    ],
    [`Warning FailedGetScale: no matches for kind "Nothing" in group "apps"`],
  ],
])("%s: the autoscaler reports it", async (_, metric, kind, containers, [type, reason, message], want) => {
  given(metric, kind);
  start(containers);
  await vi.waitFor(() => expect(condition(type)).toMatchObject({ status: "False", reason, message }), {
    timeout: 10_000,
  });
  await vi.waitFor(() => expect(events()).toEqual(expect.arrayContaining([...want])), { timeout: 10_000 });
  expect(replicas).toBe(2);
});

test("a scale that cannot be written is reported, and retried", async () => {
  figures = { [podMetrics]: [usage("a", "500m"), usage("b", "500m")] };
  const before = server.hook;
  let refusals = 1;
  server.hook = (request) =>
    request.method === "PUT" && request.path === scalePath && refusals-- > 0
      ? { status: 403, body: { kind: "Status", status: "Failure", reason: "Forbidden", message: "no", code: 403 } }
      : before?.(request);
  given(cpu);
  start();
  await vi.waitFor(
    () =>
      expect(events()).toContain(
        "Warning FailedRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target; error: no",
      ),
    { timeout: 10_000 },
  );
  await vi.waitFor(() => expect(replicas).toBeGreaterThanOrEqual(4), { timeout: 10_000 });
});

test.each<[string, Metric, string, string, string]>([
  [
    "scales up",
    cpu,
    "Deployment",
    'action="scale_up",error="none"',
    'action="scale_up",error="none",metric_type="Resource"',
  ],
  [
    "lacks a metric",
    { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "1" } } },
    "Deployment",
    'action="none",error="internal"',
    'action="none",error="internal",metric_type="Pods"',
  ],
  [
    "has no valid metric",
    { type: "Resource" } as Metric,
    "Deployment",
    'action="none",error="spec"',
    'action="none",error="spec",metric_type="Resource"',
  ],
  ["names an unknown kind", cpu, "Nonsense", 'action="none",error="spec"', ""],
])("an autoscaler that %s is counted", async (_, metric, kind, reconciled, computed) => {
  const metrics = createMetrics();
  figures = { [podMetrics]: [usage("a", "500m"), usage("b", "500m")] };
  given(metric, kind);
  startControllers(server, [horizontalPodAutoscalingController], {}, systemClock, { metrics });
  const prefix = "horizontal_pod_autoscaler_controller";
  await vi.waitFor(() => {
    const page = metrics.render();
    expect(page).toContain(`${prefix}_reconciliations_total{${reconciled}} 1\n`);
    expect(page).toContain(`${prefix}_reconciliation_duration_seconds_count{${reconciled}} 1\n`);
    if (computed === "") expect(page).not.toContain(`${prefix}_metric_computation_total{`);
    else expect(page).toContain(`${prefix}_metric_computation_total{${computed}} 1\n`);
  }, 10_000);
});
