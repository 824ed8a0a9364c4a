import type { core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import { type QuotaEvaluator, quotaEvaluatorFor } from "@orchernetes/component-helpers";
import { describe, expect, test } from "vitest";
import { meta, service } from "../../testing/builders.ts";
import { type ResourceQuota, reconcile } from "./reconcile.ts";

const now = new Date("2024-01-01T00:10:00Z");
const [pods, services, claims] = ["pods", "services", "persistentvolumeclaims"].map((plural) =>
  quotaEvaluatorFor("", plural),
) as [QuotaEvaluator, QuotaEvaluator, QuotaEvaluator];

function pod(spec: Partial<core.PodSpec> = {}, phase = "Running", requests?: Record<string, string>): ApiObject {
  const container = { name: "c", resources: requests === undefined ? {} : { requests, limits: requests } };
  return { metadata: meta("p"), spec: { containers: [container], ...spec }, status: { phase } } as ApiObject;
}

function used(hard: Record<string, string>, evaluator: QuotaEvaluator, objects: ApiObject[], more = {}): unknown {
  const quota = { metadata: meta("q"), spec: { hard, ...more }, status: {} } as ResourceQuota;
  return reconcile({ quota, stock: [{ evaluator, objects }] }, now).actions[0]?.quota.status.used;
}

describe("usage", () => {
  const half = { cpu: "500m", memory: "1Gi" };
  test.each<[string, unknown, unknown]>([
    ["nothing there", used({ pods: "1" }, pods, []), { pods: "0" }],
    [
      "pods and what they ask for",
      used({ pods: "9", "requests.cpu": "9", "limits.memory": "9Gi" }, pods, [
        pod({}, "Running", half),
        pod({}, "Pending", half),
      ]),
      { "limits.memory": "2Gi", pods: "2", "requests.cpu": "1" },
    ],
    [
      "pods that ended count by name alone",
      used({ pods: "9", cpu: "9", "count/pods": "9" }, pods, [pod({}, "Succeeded", half)]),
      { "count/pods": "1", cpu: "0", pods: "0" },
    ],
    [
      "init containers and overhead",
      used({ cpu: "9" }, pods, [
        pod({ initContainers: [{ name: "i", resources: { requests: { cpu: "2" } } }], overhead: { cpu: "1" } }),
      ]),
      { cpu: "3" },
    ],
    ["scopes", used({ pods: "9" }, pods, [pod(), pod({}, "Running", half)], { scopes: ["BestEffort"] }), { pods: "1" }],
    [
      "priority classes",
      used({ pods: "9" }, pods, [pod({ priorityClassName: "high" }), pod()], {
        scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
      }),
      { pods: "1" },
    ],
    [
      "services",
      used({ services: "9", "services.nodeports": "9", "services.loadbalancers": "9" }, services, [
        service("a", { type: "LoadBalancer" }),
        service("b"),
      ]),
      { services: "2", "services.loadbalancers": "1", "services.nodeports": "1" },
    ],
    [
      "claims by class",
      used({ "requests.storage": "9Gi", "gold.storageclass.storage.o8s.io/requests.storage": "9Gi" }, claims, [
        { metadata: meta("c"), spec: { storageClassName: "gold", resources: { requests: { storage: "3Gi" } } } },
      ] as unknown as ApiObject[]),
      { "gold.storageclass.storage.o8s.io/requests.storage": "3Gi", "requests.storage": "3Gi" },
    ],
    [
      "any object, by number",
      used({ "count/widgets.x.io": "1" }, quotaEvaluatorFor("x.io", "widgets"), [{ metadata: meta("w") }]),
      { "count/widgets.x.io": "1" },
    ],
    [
      "short names",
      used({ secrets: "1" }, quotaEvaluatorFor("", "secrets"), [{ metadata: meta("w") }]),
      { secrets: "1" },
    ],
  ])("%s", (_, got, want) => expect(got).toEqual(want));
});

test("a correct status is not written again", () => {
  const status = { hard: { pods: "1" }, used: { pods: "0" } };
  const quota = { metadata: meta("q"), spec: { hard: { pods: "1000m" } }, status } as ResourceQuota;
  expect(reconcile({ quota, stock: [{ evaluator: pods, objects: [] }] }, now).actions).toEqual([]);
});
