import { describe, expect, test } from "vitest";
import { create, defaulted, row } from "../../../test/support.ts";
import { horizontalPodAutoscalers as v2 } from "../v2/horizontal-pod-autoscaler.ts";
import { annotations, fromV2, toV2 } from "./conversion.ts";
import { horizontalPodAutoscalers as v1 } from "./horizontal-pod-autoscaler.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const old = (spec: object = {}, more: object = {}): object => ({
  metadata: { name: "h" },
  spec: { scaleTargetRef, maxReplicas: 5, ...spec },
  ...more,
});

test("the v1 form becomes a CPU metric and is converted back", () => {
  const object = defaulted(v1, old({ targetCPUUtilizationPercentage: 60 }));
  const stored = toV2(object);
  expect(stored.spec).toMatchObject({
    minReplicas: 1,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } }],
  });
  expect(fromV2(stored)).toMatchObject({ ...object, apiVersion: "autoscaling/v1" });
});

test("the default metric is 80 % CPU, in both versions", () => {
  expect(defaulted(v1, old()).spec.targetCPUUtilizationPercentage).toBe(80);
  expect(defaulted(v2, old()).spec.metrics?.[0]?.resource?.target).toEqual({
    type: "Utilization",
    averageUtilization: 80,
  });
});

test("a measured percentage is shown as field and annotation", () => {
  const stored = toV2(defaulted(v1, old({}, { status: { currentReplicas: 2, currentCPUUtilizationPercentage: 70 } })));
  const view = fromV2(stored);
  expect(view.status).toMatchObject({ currentReplicas: 2, currentCPUUtilizationPercentage: 70 });
  expect(view.metadata.annotations).toEqual({
    [annotations.currentMetrics]:
      '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":70,"currentAverageValue":"0"}}]',
  });
  expect(toV2(view).status.currentMetrics).toHaveLength(1);
});

describe("fields that the v1 form does not have survive a round trip", () => {
  const metrics = [
    { type: "Pods", pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "10" } } },
    {
      type: "External",
      external: {
        metric: { name: "queue", selector: { matchLabels: { a: "b" } } },
        target: { type: "Value", value: "5" },
      },
    },
    {
      type: "Object",
      object: { describedObject: scaleTargetRef, metric: { name: "hits" }, target: { type: "Value", value: "7" } },
    },
    {
      type: "ContainerResource",
      containerResource: { name: "memory", container: "c", target: { type: "AverageValue", averageValue: "1Gi" } },
    },
  ];
  const behavior = { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } };
  const conditions = [{ type: "AbleToScale", status: "True" }];
  test("metrics, behavior, conditions", () => {
    const stored = defaulted(v2, old({ metrics, behavior }, { status: { desiredReplicas: 1, conditions } }));
    const again = toV2(fromV2(stored));
    // The v1 form has a field of its own for the CPU metric; here there is no CPU metric.
    expect(again.spec).toEqual(stored.spec);
    expect(again.status).toEqual(stored.status);
    expect(again.metadata.annotations).toBeUndefined();
  });

  test("annotations of another form are kept as annotations", () => {
    const texts = { [annotations.metrics]: "nonsense", [annotations.behavior]: "[" };
    const object = defaulted(v1, { ...old(), metadata: { name: "h", annotations: texts } });
    expect(toV2(object).metadata.annotations).toEqual(texts);
  });
});

test.each<[name: string, spec: object, errors: string[]]>([
  ["nothing wrong", {}, []],
  [
    "bounds",
    { minReplicas: 7 },
    ["spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`"],
  ],
  ["fewer than none", { minReplicas: -1 }, ["spec.minReplicas: Invalid value: -1: must be greater than or equal to 0"]],
  [
    "no pods",
    { minReplicas: 0 },
    [
      "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
    ],
  ],
  ["no target", { scaleTargetRef: { kind: "", name: "d" } }, ["spec.scaleTargetRef.kind: Required value"]],
  [
    "source of another type",
    { metrics: [{ type: "Pods", resource: { name: "cpu", target: { type: "Utilization" } } }] },
    [
      "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
      "spec.metrics[0].pods: Required value: must populate information for the given metric source",
    ],
  ],
  [
    "slow policy",
    { behavior: { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1801 }] } } },
    ["spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800"],
  ],
])("create: %s", (_name, spec, errors) => {
  expect(create(v2, old(spec)).errors).toEqual(errors);
});

test("rows", () => {
  expect(row(v1, old())).toEqual(["h", "Deployment/d", "<unknown>/80%", "1", 5, 0, "<unknown>"]);
  const status = { currentReplicas: 2, currentCPUUtilizationPercentage: 70 };
  expect(row(v1, old({ targetCPUUtilizationPercentage: 60, minReplicas: 2 }, { status }))).toEqual([
    "h",
    "Deployment/d",
    "70%/60%",
    "2",
    5,
    2,
    "<unknown>",
  ]);
});
