import { expect, test } from "vitest";
import { context, create, merged, update, without } from "../../../test/support.ts";
import { horizontalPodAutoscalers as v1 } from "../v1/horizontal-pod-autoscaler.ts";
import { horizontalPodAutoscalers as v2 } from "./horizontal-pod-autoscaler.ts";

const off = without("HPAScaleToZero");
const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
const base = (spec: object): unknown => ({
  metadata: { name: "h" },
  spec: { maxReplicas: 3, scaleTargetRef, ...spec },
});
const external = { type: "External", external: { metric: { name: "q" }, target: { type: "Value", value: "1" } } };
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };

const notZero = "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1";
const blind =
  "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas";

test.each([
  ["off", off, [external], [notZero]],
  ["off, with metrics of pods", off, [cpu], [notZero, blind]],
  ["on", context, [external, cpu], []],
  ["on, with metrics of pods", context, [cpu], [blind]],
])("scaling to zero is %s", (_, ctx, metrics, want) => {
  expect(create(v2, base({ minReplicas: 0, metrics }), undefined, ctx).errors).toEqual(want);
});

test("an autoscaler that already scales to zero may continue to do so", () => {
  const old = create(v2, base({ minReplicas: 0, metrics: [external] })).object;
  expect(update(v2, old, merged(old, { spec: { maxReplicas: 5 } }), undefined, off).errors).toEqual([]);
  const plain = create(v2, base({ minReplicas: 1, metrics: [external] })).object;
  expect(update(v2, plain, merged(plain, { spec: { minReplicas: 0 } }), undefined, off).errors).toEqual([notZero]);
});

test("the old version has the same rule", () => {
  expect(create(v1, base({ minReplicas: 0 }), undefined, off).errors).toEqual([notZero, blind]);
  const old = create(v1, base({ minReplicas: 0 })).object;
  expect(update(v1, old, merged(old, { spec: { minReplicas: 0 } }), undefined, off).errors).toEqual([blind]);
});
