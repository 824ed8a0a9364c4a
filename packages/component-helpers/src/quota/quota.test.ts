import type { core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import { pod } from "@orchernetes/testkit";
import { describe, expect, test } from "vitest";
import { resourceListOf } from "../resources/resource-list.ts";
import { isExemptFromQuota, quotaEvaluatorFor, quotaEvaluators } from "./evaluators.ts";
import type { QuotaScope } from "./quota-scope.ts";

const now = new Date("2026-01-01T00:00:30Z");
const pods = quotaEvaluatorFor("", "pods");
const usage = (plural: string, object: object) =>
  resourceListOf(quotaEvaluatorFor("", plural).usage(object as ApiObject, now));

describe("a pod that is being deleted", () => {
  const leaving = (deletionTimestamp: string, deletionGracePeriodSeconds?: number) => ({
    ...pod("p").build(),
    metadata: {
      name: "p",
      deletionTimestamp,
      ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    },
  });
  test.each<[string, object, boolean]>([
    ["counts until its grace period is up", leaving("2026-01-01T00:00:10Z", 30), true],
    ["counts at the very end of it", leaving("2026-01-01T00:00:00Z", 30), true],
    ["counts no more when it has overstayed it", leaving("2025-12-31T23:59:59Z", 30), false],
    ["counts no more at once without grace", leaving("2026-01-01T00:00:29Z", 0), false],
    ["counts as long as its grace period is not known", leaving("2025-01-01T00:00:00Z"), true],
  ])("%s", (_, object, counts) => {
    expect(usage("pods", object)).toEqual({ "count/pods": "1", ...(counts ? { pods: "1" } : {}) });
  });
});

test("huge pages count under two names, extended resources under one, others not at all", () => {
  const object = pod("p")
    .requests({ "hugepages-2Mi": "4Mi", "example.com/gpu": "2", "orchernetes.io/batch": "1" })
    .limits({ "ephemeral-storage": "1Gi", "example.com/gpu": "2" })
    .build();
  expect(usage("pods", object)).toEqual({
    "count/pods": "1",
    pods: "1",
    "hugepages-2Mi": "4Mi",
    "requests.hugepages-2Mi": "4Mi",
    "requests.example.com/gpu": "2",
    "limits.ephemeral-storage": "1Gi",
  });
});

describe("scopes of pods", () => {
  const scope = (name: string, operator: QuotaScope["operator"] = "Exists", ...values: string[]): QuotaScope => ({
    name,
    operator,
    values,
  });
  const plain = pod("p");
  const urgent = pod("p").spec({ priorityClassName: "high" });
  const term: core.PodAffinityTerm = { topologyKey: "zone", namespaces: ["other"] };
  const crossing = pod("p").affinity({
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] },
  });
  test.each<[QuotaScope, { build(): core.Pod }, boolean]>([
    [scope("Terminating"), pod("p").spec({ activeDeadlineSeconds: 0 }), true],
    [scope("Terminating"), plain, false],
    [scope("NotTerminating"), plain, true],
    [scope("BestEffort"), plain, true],
    [scope("BestEffort"), pod("p").requests({ cpu: "0", memory: "0" }), true],
    [scope("BestEffort"), pod("p").requests({ cpu: "1m" }), false],
    [scope("NotBestEffort"), pod("p").requests({ cpu: "1m" }), true],
    [scope("PriorityClass"), plain, false],
    [scope("PriorityClass"), urgent, true],
    [scope("PriorityClass", "DoesNotExist"), plain, true],
    [scope("PriorityClass", "In", "high", "low"), urgent, true],
    [scope("PriorityClass", "In", "low"), urgent, false],
    [scope("PriorityClass", "NotIn", "low"), urgent, true],
    [scope("PriorityClass", "NotIn", "low"), plain, true],
    [scope("CrossNamespacePodAffinity"), crossing, true],
    [scope("CrossNamespacePodAffinity"), plain, false],
    [scope("Unknown"), plain, false],
  ])("%j of %#", (given, builder, want) => {
    expect(pods.inScope(builder.build(), given)).toBe(want);
  });
});

test("a claim's storage counts in whole bytes", () => {
  const claim = (storage: string) => ({
    metadata: { name: "c", annotations: { "volume.beta.orchernetes.io/storage-class": "gold" } },
    spec: { storageClassName: "lead", resources: { requests: { storage } } },
  });
  const used = (storage: string) => ({
    "count/persistentvolumeclaims": "1",
    persistentvolumeclaims: "1",
    "requests.storage": storage,
    "gold.storageclass.storage.o8s.io/persistentvolumeclaims": "1",
    "gold.storageclass.storage.o8s.io/requests.storage": storage,
  });
  expect(usage("persistentvolumeclaims", claim("1Gi"))).toEqual(used("1Gi"));
  expect(usage("persistentvolumeclaims", claim("1500m"))).toEqual(used("2"));
});

test("every resource but events counts by number, custom ones of that name, too", () => {
  expect(isExemptFromQuota("", "events")).toBe(true);
  expect(isExemptFromQuota("events.o8s.io", "events")).toBe(true);
  expect(isExemptFromQuota("example.com", "events")).toBe(false);
  const custom = quotaEvaluatorFor("example.com", "events");
  expect(custom.limits("count/events.example.com")).toBe(true);
  expect(resourceListOf(custom.usage({ metadata: {} }, now))).toEqual({ "count/events.example.com": "1" });
  expect(quotaEvaluatorFor("apps", "pods")).not.toBe(quotaEvaluatorFor("", "pods"));
});

test("an evaluator limits each name that it counts under", () => {
  const objects: Readonly<Record<string, object>> = {
    pods: pod("p")
      .requests({ cpu: "1", "hugepages-2Mi": "2Mi", "example.com/gpu": "1" })
      .limits({ memory: "1Gi" })
      .build(),
    services: { metadata: {}, spec: { type: "LoadBalancer", ports: [{ port: 1 }] } },
    persistentvolumeclaims: {
      metadata: {},
      spec: { storageClassName: "gold", resources: { requests: { storage: "1Gi" } } },
    },
  };
  for (const evaluator of quotaEvaluators) {
    const names = [...evaluator.usage((objects[evaluator.plural] ?? {}) as ApiObject, now).keys()];
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !evaluator.limits(name))).toEqual([]);
  }
});
