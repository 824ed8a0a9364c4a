import { node, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "./pod-info.ts";
import { slimNode } from "./slim-node.ts";
import { slimPod } from "./slim-pod.ts";

const rich = pod("p")
  .requests({ cpu: "1", memory: "1Gi" })
  .hostPorts(80)
  .labels({ app: "x" })
  .annotations({ note: "long" })
  .toleration({ operator: "Exists" })
  .nodeSelector({ a: "b" })
  .priority(7)
  .spec({
    overhead: { cpu: "1m" },
    initContainers: [
      { name: "i", image: "i", resources: { requests: { cpu: "3" } }, env: [{ name: "A", value: "1" }] },
    ],
    schedulingGates: [{ name: "g" }],
    volumes: [
      { name: "v", persistentVolumeClaim: { claimName: "c" } },
      { name: "e", emptyDir: {} },
    ],
  })
  .status({ nominatedNodeName: "n", podIP: "10.0.0.1" });

test("a slim pod has the same requests", () => {
  const { pod: _, ...slim } = podInfo(slimPod(rich.build()));
  const { pod: __, ...full } = podInfo(rich.build());
  expect(slim).toEqual(full);
});

test("a slim pod has the fields that decide, and no others", () => {
  const slim = slimPod(rich.build());
  expect(slim).toMatchObject({
    metadata: { name: "p", namespace: "default", labels: { app: "x" } },
    spec: {
      tolerations: [{ operator: "Exists" }],
      nodeSelector: { a: "b" },
      priority: 7,
      schedulingGates: [{ name: "g" }],
      volumes: [{ name: "v" }],
    },
  });
  expect(slim.metadata.annotations).toBeUndefined();
  expect(slim.spec.initContainers?.[0]?.env).toBeUndefined();
  expect(slim.status.podIP).toBeUndefined();
});

test("a slim node has the fields that decide, and no others", () => {
  const slim = slimNode(node("a").labels({ x: "y" }).taint("k", "NoSchedule").unschedulable().build());
  expect(slim).toMatchObject({
    metadata: { name: "a", labels: { x: "y" } },
    spec: { unschedulable: true, taints: [{ key: "k" }] },
    status: { allocatable: { cpu: "4" } },
  });
  expect(slim.status.conditions).toBeUndefined();
});
