import type { core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import {
  resourceListOf as listOf,
  objectCountQuota as objectCount,
  quotaEvaluatorFor,
} from "@orchernetes/component-helpers";
import { expect, test } from "vitest";
import { checkQuota, increase } from "./check-quota.ts";

const now = new Date("2026-01-01T00:00:00Z");
const pods = quotaEvaluatorFor("", "pods");
const services = quotaEvaluatorFor("", "services");
const claims = quotaEvaluatorFor("", "persistentvolumeclaims");
type List = Readonly<Record<string, string>>;

function quota(hard: List, used: List, spec: Partial<core.ResourceQuotaSpec> = {}): core.ResourceQuota {
  return { metadata: { name: "q" }, spec: { hard, ...spec }, status: { hard, used } } as core.ResourceQuota;
}

const pod = (spec: object, status: object = {}): ApiObject =>
  ({
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", ...spec }], ...spec },
    status,
  }) as unknown as ApiObject;
const cpu = (amount: string) => pod({ resources: { requests: { cpu: amount } } });

function judge(given: core.ResourceQuota, object: ApiObject, evaluator = pods) {
  const verdict = checkQuota(given, evaluator, object, increase(evaluator, object, undefined, now));
  return verdict.type === "charged" ? listOf(verdict.used) : verdict.type === "refused" ? verdict.detail : verdict.type;
}

test.each<readonly [string, core.ResourceQuota, ApiObject, unknown]>([
  ["room is taken", quota({ pods: "2" }, { pods: "1" }), pod({}), { pods: "2" }],
  [
    "no room",
    quota({ pods: "1" }, { pods: "1" }),
    pod({}),
    "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1",
  ],
  [
    "other names stay",
    quota({ pods: "2", secrets: "1" }, { pods: "0", secrets: "1" }),
    pod({}),
    { pods: "1", secrets: "1" },
  ],
  ["requests add up", quota({ "requests.cpu": "1" }, { "requests.cpu": "400m" }), cpu("600m"), { "requests.cpu": "1" }],
  [
    "too much",
    quota({ pods: "5", "requests.cpu": "1" }, { pods: "0", "requests.cpu": "0" }),
    cpu("2"),
    "exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=0, limited: requests.cpu=1",
  ],
  [
    "what is limited must be said",
    quota({ "requests.cpu": "1", "limits.memory": "1Gi" }, { "requests.cpu": "0", "limits.memory": "0" }),
    pod({}),
    "failed quota: q: must specify limits.memory for: c; requests.cpu for: c",
  ],
  ["nothing counted yet", quota({ pods: "1" }, {}), pod({}), "status unknown for quota: q, resources: pods"],
  ["nothing of pods", quota({ secrets: "1" }, { secrets: "1" }), pod({}), "unconcerned"],
  [
    "in scope",
    quota({ pods: "0" }, { pods: "0" }, { scopes: ["BestEffort"] }),
    pod({}),
    "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0",
  ],
  ["out of scope", quota({ pods: "0" }, { pods: "0" }, { scopes: ["BestEffort"] }), cpu("1m"), "unconcerned"],
  ["not terminating", quota({ pods: "0" }, { pods: "0" }, { scopes: ["Terminating"] }), pod({}), "unconcerned"],
  [
    "a class of priority",
    quota(
      { pods: "0" },
      { pods: "0" },
      { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] } },
    ),
    pod({ priorityClassName: "low" }),
    "unconcerned",
  ],
])("pods: %s", (_, given, object, want) => {
  expect(judge(given, object)).toEqual(want);
});

test("a pod that has ended holds its place in storage and nothing else", () => {
  const ended = pod({ resources: { requests: { cpu: "1" } } }, { phase: "Succeeded" });
  expect(listOf(pods.usage(ended, now))).toEqual({ "count/pods": "1" });
});

test("a pod takes what its containers, or its largest init container, and its overhead take", () => {
  const object = pod({
    containers: [
      { name: "a", resources: { requests: { cpu: "1", "example.com/gpu": "1" }, limits: { memory: "1Gi" } } },
    ],
    initContainers: [{ name: "i", resources: { requests: { cpu: "3" } } }],
    overhead: { cpu: "100m", memory: "1Mi" },
  });
  expect(listOf(pods.usage(object, now))).toEqual({
    "count/pods": "1",
    cpu: "3100m",
    "limits.memory": "1025Mi",
    memory: "1Mi",
    pods: "1",
    "requests.cpu": "3100m",
    "requests.example.com/gpu": "1",
    "requests.memory": "1Mi",
  });
});

const service = (spec: object) => ({ metadata: { name: "s" }, spec }) as unknown as ApiObject;
const ports = [{ port: 80 }, { port: 81 }];

test.each([
  [{ type: "ClusterIP", ports }, "0", "0"],
  [{ type: "NodePort", ports }, "2", "0"],
  [{ type: "LoadBalancer", ports }, "2", "1"],
  [
    {
      type: "LoadBalancer",
      ports: [{ port: 80, nodePort: 30000 }, { port: 81 }],
      allocateLoadBalancerNodePorts: false,
    },
    "1",
    "1",
  ],
])("service %j", (spec, nodePorts, loadBalancers) => {
  expect(listOf(services.usage(service(spec), now))).toEqual({
    "count/services": "1",
    services: "1",
    "services.loadbalancers": loadBalancers,
    "services.nodeports": nodePorts,
  });
});

test("an update is charged for what it adds", () => {
  const before = service({ type: "NodePort", ports: [{ port: 80 }] });
  expect(listOf(increase(services, service({ type: "LoadBalancer", ports }), before, now))).toEqual({
    "services.loadbalancers": "1",
    "services.nodeports": "1",
  });
  expect(listOf(increase(services, before, service({ type: "LoadBalancer", ports }), now))).toEqual({});
});

test("claims count by class too", () => {
  const claim = {
    metadata: { name: "c" },
    spec: { storageClassName: "gold", resources: { requests: { storage: "1Gi" } } },
  } as unknown as ApiObject;
  const hard = { "gold.storageclass.storage.o8s.io/requests.storage": "1Gi" };
  const used = { "gold.storageclass.storage.o8s.io/requests.storage": "1Mi" };
  expect(judge(quota(hard, used), claim, claims)).toBe(
    "exceeded quota: q, requested: gold.storageclass.storage.o8s.io/requests.storage=1Gi, used: gold.storageclass.storage.o8s.io/requests.storage=1Mi, limited: gold.storageclass.storage.o8s.io/requests.storage=1Gi",
  );
});

test.each([
  ["", "secrets", ["count/secrets", "secrets"]],
  ["", "endpoints", ["count/endpoints"]],
  ["apps", "deployments", ["count/deployments.apps"]],
])("objects of %j %s count as %j", (group, plural, names) => {
  const evaluator = objectCount(group, plural);
  expect([...evaluator.usage({} as ApiObject, now).keys()].sort()).toEqual(names);
  expect(names.every((name) => evaluator.limits(name))).toBe(true);
});
