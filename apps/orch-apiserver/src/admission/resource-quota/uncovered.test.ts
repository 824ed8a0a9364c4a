import type { core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import { quotaEvaluatorFor } from "@orchernetes/component-helpers";
import { resourceQuotaConfigurationSchema } from "@orchernetes/config";
import { expect, test } from "vitest";
import { concernOf } from "./check-quota.ts";
import { uncovered } from "./uncovered.ts";

const now = new Date(0);
const pod = (priorityClassName: string, cpu = "1") =>
  ({
    metadata: { name: "p" },
    spec: { priorityClassName, containers: [{ name: "c", resources: { requests: { cpu } } }] },
    status: {},
  }) as unknown as ApiObject;
const claim = {
  metadata: { name: "c" },
  spec: { storageClassName: "gold", resources: { requests: { storage: "1Gi" } } },
} as unknown as ApiObject;
const high = { scopeName: "PriorityClass", operator: "In", values: ["high"] };
const quota = (hard: object, spec: object = {}) =>
  ({ metadata: { name: "q" }, spec: { hard, ...spec }, status: { hard, used: hard } }) as unknown as core.ResourceQuota;
const selected = (hard: object) => quota(hard, { scopeSelector: { matchExpressions: [high] } });

const storage = ".storageclass.storage.o8s.io/requests.storage";
const claims = [{ resource: "persistentvolumeclaims", matchContains: [storage] }];
const cpus = [{ resource: "pods", matchContains: ["requests.cpu", "memory"] }];
const scoped = [{ resource: "pods", matchScopes: [high] }];

test.each<readonly [string, readonly object[], ApiObject, readonly core.ResourceQuota[], string | undefined]>([
  ["nothing is limited", [], pod("high"), [], undefined],
  ["no quota covers cpu", cpus, pod(""), [], "insufficient quota to consume: requests.cpu"],
  ["another quota", cpus, pod(""), [quota({ pods: "1" })], "insufficient quota to consume: requests.cpu"],
  ["a quota covers cpu", cpus, pod(""), [quota({ "requests.cpu": "1" })], undefined],
  [
    "a quota of another scope",
    cpus,
    pod("low"),
    [selected({ "requests.cpu": "1" })],
    "insufficient quota to consume: requests.cpu",
  ],
  ["nothing is consumed", cpus, pod("", "0"), [], undefined],
  ["another resource", claims, pod(""), [], undefined],
  ["another group", [{ ...cpus[0], apiGroup: "apps" }], pod(""), [], undefined],
  [
    "a class of storage",
    claims,
    claim,
    [quota({ "requests.storage": "1" })],
    `insufficient quota to consume: gold${storage}`,
  ],
  ["its quota", claims, claim, [quota({ [`gold${storage}`]: "1" })], undefined],
  [
    "a class of priority",
    scoped,
    pod("high"),
    [],
    "insufficient quota to match these scopes: [{PriorityClass In [high]}]",
  ],
  [
    "an unscoped quota",
    scoped,
    pod("high"),
    [quota({ pods: "1" })],
    "insufficient quota to match these scopes: [{PriorityClass In [high]}]",
  ],
  ["a scoped quota", scoped, pod("high"), [selected({ pods: "1" })], undefined],
  ["another class of priority", scoped, pod("low"), [], undefined],
  [
    "several scopes",
    [{ resource: "pods", matchScopes: [high, { scopeName: "PriorityClass", operator: "Exists" }] }],
    pod("high"),
    [],
    "insufficient quota to match these scopes: [{PriorityClass In [high]} {PriorityClass Exists []}]",
  ],
])("%s", (_, limited, object, quotas, want) => {
  const { limitedResources } = resourceQuotaConfigurationSchema.parse({
    apiVersion: "apiserver.config.o8s.io/v1",
    kind: "ResourceQuotaConfiguration",
    limitedResources: limited,
  });
  const evaluator = quotaEvaluatorFor("", object === claim ? "persistentvolumeclaims" : "pods");
  const covers = quotas.map((one) => {
    const concern = concernOf(one, evaluator, object);
    return { quota: one, limited: concern.type === "concerned" ? concern.limited : undefined };
  });
  expect(uncovered({ evaluator, object, usage: evaluator.usage(object, now) }, limitedResources, covers)?.detail).toBe(
    want,
  );
});

test.each([
  ["apiserver.config.o8s.io/v1", "ResourceQuotaConfiguration", true],
  ["resourcequota.admission.o8s.io/v1beta1", "Configuration", true],
  ["resourcequota.admission.o8s.io/v1alpha1", "Configuration", true],
  ["apiserver.config.o8s.io/v1", "Configuration", false],
  ["resourcequota.admission.o8s.io/v1", "Configuration", false],
])("%s %s is a configuration: %s", (apiVersion, kind, valid) => {
  expect(resourceQuotaConfigurationSchema.safeParse({ apiVersion, kind }).success).toBe(valid);
});
