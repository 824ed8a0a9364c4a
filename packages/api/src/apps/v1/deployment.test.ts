import { describe, expect, test } from "vitest";
import { create, defaulted, row, subresourceStrategy, update } from "../../../test/support.ts";
import {
  emptySelector,
  immutableSelector,
  mismatch,
  notNegative,
  template,
  workload,
} from "../../../test/workloads.ts";
import { deployments } from "./deployment.ts";

test("defaults", () => {
  const { spec } = defaulted(deployments, workload());
  expect(spec).toMatchObject({
    replicas: 1,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  expect(spec.template.spec).toMatchObject({ restartPolicy: "Always", dnsPolicy: "ClusterFirst" });
  expect(defaulted(deployments, workload({ strategy: { type: "Recreate" } })).spec.strategy).toEqual({
    type: "Recreate",
  });
});

test.each<[name: string, spec: object, errors: string[]]>([
  ["nothing wrong", {}, []],
  ["no selector", { selector: null }, ["spec.selector: Required value", mismatch]],
  ["empty selector", { selector: {} }, [emptySelector("deployment")]],
  ["other labels", { selector: { matchLabels: { app: "y" } } }, [mismatch]],
  [
    "negative counts",
    { replicas: -1, minReadySeconds: -1 },
    [notNegative("spec.replicas"), notNegative("spec.minReadySeconds")],
  ],
  [
    "progress deadline not above minReadySeconds",
    { minReadySeconds: 5, progressDeadlineSeconds: 5 },
    ["spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"],
  ],
  [
    "maxSurge and maxUnavailable both zero",
    { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } },
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"0%"}: may not be 0 when `maxSurge` is 0',
    ],
  ],
  [
    "rolling settings of Recreate",
    { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    "unknown strategy",
    { strategy: { type: "Odd" } },
    [
      'spec.strategy: Unsupported value: apps.DeploymentStrategy{Type:"Odd", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    "pods that end",
    { template: { ...template, spec: { ...template.spec, restartPolicy: "Never", activeDeadlineSeconds: 5 } } },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported",
    ],
  ],
])("create: %s", (_name, spec, errors) => {
  expect(create(deployments, workload(spec)).errors).toEqual(errors);
});

describe("update", () => {
  const old = create(deployments, { ...workload(), status: { replicas: 3 } }).object;

  test("the status in a create request is dropped", () => expect(old.status).toEqual({}));

  test("the status in an update request is dropped", () => {
    expect(update(deployments, old, { ...workload(), status: { replicas: 9 } }).object.status).toEqual({});
  });

  test("the selector is immutable", () => {
    const labels = { app: "x", tier: "z" };
    const changed = workload({ selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } });
    expect(update(deployments, old, changed).errors).toEqual([immutableSelector('{"app":"x", "tier":"z"}')]);
  });

  test("removed labels are printed as an empty map", () => {
    const changed = workload({ template: { ...template, metadata: {} } });
    expect(update(deployments, old, changed).errors).toEqual([
      "spec.template.metadata.labels: Invalid value: map[string]string{}: `selector` does not match template `labels`",
    ]);
  });

  test("the status endpoint keeps spec and labels", () => {
    const input = { ...workload({ replicas: 7 }, { labels: { a: "b" } }), status: { replicas: 2 } };
    const { object, errors } = update(deployments, old, input, subresourceStrategy(deployments, "status"));
    expect({ errors, replicas: object.spec.replicas, labels: object.metadata.labels, status: object.status }).toEqual({
      errors: [],
      replicas: 1,
      labels: undefined,
      status: { replicas: 2 },
    });
  });

  test("counts of the status are consistent", () => {
    const status = { replicas: 1, updatedReplicas: 2, readyReplicas: 0, availableReplicas: 1 };
    expect(
      update(deployments, old, { ...workload(), status }, subresourceStrategy(deployments, "status")).errors,
    ).toEqual([
      "status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas",
    ]);
  });
});

test("generation follows spec and annotations, not labels or status", () => {
  const generation = (input: object): string =>
    JSON.stringify(deployments.strategy.generation?.(defaulted(deployments, input)));
  const base = generation(workload());
  expect(generation(workload({}, { labels: { a: "b" } }))).toBe(base);
  expect(generation(workload({}, { annotations: { a: "b" } }))).not.toBe(base);
  expect(generation(workload({ replicas: 2 }))).not.toBe(base);
});

test("scale", () => {
  const object = structuredClone(defaulted(deployments, { ...workload({ replicas: 2 }), status: { replicas: 1 } }));
  const scale = deployments.subresources?.scale;
  if (scale?.type !== "scale") {
    throw new Error("deployments must have a scale subresource");
  }
  expect(scale.get(object)).toEqual({ specReplicas: 2, statusReplicas: 1, selector: "app=x" });
  scale.set(object as never, 5);
  expect(object.spec.replicas).toBe(5);
});

test("row", () => {
  const object = {
    ...workload(
      { selector: { matchExpressions: [{ key: "app", operator: "In", values: ["x", "b"] }] }, replicas: 2 },
      { creationTimestamp: "2025-12-31T23:58:30Z" },
    ),
    status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
  };
  expect(row(deployments, object)).toEqual(["w", "1/2", 2, 1, "90s", "c", "localhost/busybox:1", "app in (b,x)"]);
});
