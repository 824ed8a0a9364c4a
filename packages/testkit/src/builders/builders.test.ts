import { expect, test } from "vitest";
import { deployment, node, pod, replicaSet, service } from "../index.ts";

test("a step of a builder does not change the builder", () => {
  const base = pod("web-0").requests({ cpu: "500m" });
  const bound = base.on("node-a").labels({ app: "web" });
  expect(base.build().spec?.nodeName).toBeUndefined();
  expect(base.build().metadata.labels).toBeUndefined();
  expect(bound.build()).toMatchObject({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web-0", namespace: "default", labels: { app: "web" } },
    spec: { nodeName: "node-a", containers: [{ name: "main", resources: { requests: { cpu: "500m" } } }] },
  });
});

test.each([
  [
    "requests and limits of one container",
    pod("p").requests({ cpu: "1" }).limits({ cpu: "2" }).image("i:1"),
    { spec: { containers: [{ image: "i:1", resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } }] } },
  ],
  [
    "a second container",
    pod("p").container({ name: "side" }),
    { spec: { containers: [{ name: "main" }, { name: "side" }] } },
  ],
  [
    "a ready pod",
    pod("p").ready().ip("10.0.0.1"),
    { status: { phase: "Running", podIP: "10.0.0.1", conditions: [{ type: "Ready", status: "True" }] } },
  ],
  [
    "a node's capacity, all allocatable",
    node("n1").capacity({ cpu: "2" }).taint("k", "NoSchedule"),
    {
      metadata: { name: "n1", labels: { "orchernetes.io/hostname": "n1" } },
      spec: { taints: [{ key: "k", value: "", effect: "NoSchedule" }] },
      status: { capacity: { cpu: "2" }, allocatable: { cpu: "2" }, conditions: [{ type: "Ready", status: "True" }] },
    },
  ],
  [
    "a deployment's template",
    deployment("web").replicas(3).image("i:2").rollingUpdate(1, 0),
    {
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ image: "i:2" }] } },
      },
    },
  ],
  [
    "an owned replica set being deleted",
    replicaSet("web-1").controlledBy(deployment("web")).deletedAt(),
    {
      metadata: {
        deletionTimestamp: "2024-01-01T00:00:00Z",
        ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "uid-web", controller: true }],
      },
    },
  ],
  [
    "a service's ports",
    service("web").port(80, "http", "http").port(443),
    {
      spec: {
        selector: { app: "web" },
        ports: [
          { name: "http", port: 80, targetPort: "http" },
          { port: 443, targetPort: 443 },
        ],
      },
    },
  ],
])("builds %s", (_, builder, want) => {
  expect(builder.build()).toMatchObject(want);
});
