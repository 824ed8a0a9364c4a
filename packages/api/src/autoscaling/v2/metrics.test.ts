import { expect, test } from "vitest";
import { create } from "../../../test/support.ts";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler.ts";

type Row = readonly [name: string, input: object, want: readonly (string | RegExp)[]];
const matching = (want: Row[2]) => want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text)));

const errorsOf = (spec: object): string[] =>
  create(horizontalPodAutoscalers, {
    metadata: { name: "h" },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "d" }, ...spec },
  }).errors;

const at = "spec.metrics[0]";
const perPod = { type: "AverageValue", averageValue: "1" };
const used = { type: "Utilization", averageUtilization: 1 };
const object = {
  describedObject: { kind: "Service", name: "s" },
  metric: { name: "m" },
  target: { type: "Value", value: "1" },
};
const pods = { metric: { name: "m" }, target: perPod };
const external = { metric: { name: "m" }, target: perPod };
const resource = { name: "cpu", target: used };
const containerResource = { name: "cpu", container: "c", target: used };
const types = '"ContainerResource", "External", "Object", "Pods", "Resource"';
const only = "Forbidden: must populate the given metric source only";
const missing = "Required value: must populate information for the given metric source";
const positive = "must be positive";

test.each<Row>([
  ["an object", { type: "Object", object }, []],
  ["pods", { type: "Pods", pods }, []],
  ["something external", { type: "External", external }, []],
  ["a resource", { type: "Resource", resource }, []],
  ["a resource of a container", { type: "ContainerResource", containerResource }, []],
  [
    "no type",
    { type: "" },
    [
      `${at}.type: Required value: must specify a metric source type`,
      ...Array.from({ length: 2 }, () => `${at}.type: Unsupported value: "": supported values: ${types}`),
    ],
  ],
  [
    "a type in lower case",
    { type: "pods", pods },
    Array.from({ length: 2 }, () => `${at}.type: Unsupported value: "pods": supported values: ${types}`),
  ],
  ["no source", { type: "Object" }, [`${at}.object: ${missing}`]],
  ["a source of another type", { type: "Pods", resource }, [`${at}.pods: ${missing}`]],
  ["two sources", { type: "Pods", pods, resource }, [`${at}.resource: ${only}`]],
  [
    "two sources of other types",
    { type: "ContainerResource", pods, resource },
    [`${at}.containerResource: ${missing}`, `${at}.pods: ${only}`, `${at}.resource: ${only}`],
  ],
  [
    "two wrong sources: the first is validated",
    { type: "Resource", pods: { ...pods, metric: { name: "" } }, resource: { ...resource, name: "" } },
    [`${at}.pods.metric.name: Required value: must specify a metric name`, `${at}.pods: ${only}`],
  ],
])("metric: %s", (_, metric, want) => {
  expect(errorsOf({ metrics: [metric] })).toEqual(want);
});

test.each<Row>([
  ["both values", { ...object, target: { type: "Value", value: "1", averageValue: "1" } }, []],
  ["a value per pod", { ...object, target: perPod }, []],
  [
    "no value",
    { ...object, target: { type: "Value" } },
    ["target.averageValue: Required value: must set either a target value or averageValue"],
  ],
  [
    "no object",
    { ...object, describedObject: { kind: "", name: "" } },
    ["describedObject.kind: Required value", "describedObject.name: Required value"],
  ],
  [
    "an object that is no path segment",
    { ...object, describedObject: { kind: "a%b", name: ".." } },
    [
      "describedObject.kind: Invalid value: \"a%b\": may not contain '%'",
      "describedObject.name: Invalid value: \"..\": may not be '..'",
    ],
  ],
  [
    "a metric that is no path segment",
    { ...object, metric: { name: "a/b" } },
    ["metric.name: Invalid value: \"a/b\": may not contain '/'"],
  ],
])("object metric with %s", (_, source, want) => {
  const errors = errorsOf({ metrics: [{ type: "Object", object: source }] });
  expect(errors).toEqual(want.map((text) => `${at}.object.${text}`));
});

test.each<Row>([
  ["a value", { type: "Value", value: "1m" }, []],
  [
    "both values",
    { type: "Value", value: "1", averageValue: "1" },
    ["value: Forbidden: may not set both a target value for metric and a per-pod target"],
  ],
  [
    "no value",
    { type: "Value", averageUtilization: 1 },
    ["averageValue: Required value: must set either a target value for metric or a per-pod target"],
  ],
  ["zero", { type: "Value", value: "0" }, [`value: Invalid value: "0": ${positive}`]],
  ["less than zero", { type: "Value", value: "-1m" }, [`value: Invalid value: "-1m": ${positive}`]],
  ["zero per pod", { type: "AverageValue", averageValue: "0" }, [`averageValue: Invalid value: "0": ${positive}`]],
  [
    "no type",
    { type: "", value: "1" },
    [
      "type: Required value: must specify a metric target type",
      'type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ],
  ],
])("external target with %s", (_, target, want) => {
  const errors = errorsOf({ metrics: [{ type: "External", external: { ...external, target } }] });
  expect(errors).toEqual(want.map((text) => `${at}.external.target.${text}`));
});

test.each<Row>([
  ["an amount", { ...containerResource, target: perPod }, []],
  ["a resource with a domain", { ...containerResource, name: "example.com/gpu" }, []],
  ["no name", { ...containerResource, name: "" }, ["name: Required value: must specify a resource name"]],
  [
    "an unknown name",
    { ...containerResource, name: "gpu" },
    [
      'name: Invalid value: "gpu": must be a standard resource type or fully qualified',
      'name: Invalid value: "gpu": must be a standard resource for containers',
    ],
  ],
  ["no container", { ...containerResource, container: "" }, ["container: Required value: must specify a container"]],
  ["63 characters", { ...containerResource, container: "a".repeat(63) }, []],
  [
    "64 characters",
    { ...containerResource, container: "a".repeat(64) },
    [`container: Invalid value: "${"a".repeat(64)}": must be no more than 63 characters`],
  ],
  [
    "no target",
    { ...containerResource, target: { type: "Utilization" } },
    ["target.averageUtilization: Required value: must set either a target raw value or a target utilization"],
  ],
  [
    "both targets",
    { ...containerResource, target: { ...used, averageValue: "1" } },
    ["target.averageValue: Forbidden: may not set both a target raw value and a target utilization"],
  ],
  [
    "no use",
    { ...containerResource, target: { type: "Utilization", averageUtilization: 0 } },
    ["target.averageUtilization: Invalid value: 0: must be greater than 0"],
  ],
])("container resource with %s", (_, source, want) => {
  const errors = errorsOf({ metrics: [{ type: "ContainerResource", containerResource: source }] });
  expect(errors.map((text) => text.replace(`${at}.containerResource.`, ""))).toEqual(matching(want));
});

test("pods have no target but a value per pod", () => {
  const metrics = [{ type: "Pods", pods: { ...pods, target: { type: "Value", value: "1" } } }];
  const want = `${at}.pods.target.averageValue: Required value: must specify a positive target averageValue`;
  expect(errorsOf({ metrics })).toEqual([want]);
});

const policy = { type: "Percent", value: 1, periodSeconds: 1 };
test.each<Row>([
  ["the least", { stabilizationWindowSeconds: 0, policies: [policy] }, []],
  ["the most", { stabilizationWindowSeconds: 3600, policies: [{ ...policy, periodSeconds: 1800 }] }, []],
  [
    "a window below zero",
    { stabilizationWindowSeconds: -1, policies: [policy] },
    ["stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero"],
  ],
  [
    "a window over an hour",
    { stabilizationWindowSeconds: 3601, policies: [policy] },
    ["stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600"],
  ],
  ["only a window", { stabilizationWindowSeconds: 1 }, []],
  [
    "a wrong second policy",
    { policies: [policy, { type: "Nodes", value: 0, periodSeconds: 0 }] },
    [
      'policies[1].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"',
      "policies[1].value: Invalid value: 0: must be greater than zero",
      "policies[1].periodSeconds: Invalid value: 0: must be greater than zero",
    ],
  ],
  [
    "a period that is one second too long",
    { policies: [{ ...policy, periodSeconds: 1801 }] },
    ["policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800"],
  ],
])("scaling down with %s", (_, scaleDown, want) => {
  expect(errorsOf({ behavior: { scaleDown } })).toEqual(want.map((text) => `spec.behavior.scaleDown.${text}`));
});
