import { node, pod, replicaSet } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { Interned } from "./interned.ts";
import { type PodInfo, podInfo } from "./pod-info.ts";
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

test("a slim pod requests the same resources as the pod", () => {
  const facts = ({ key, uid, podClass, priority, demand, claims, terms, nominatedNodeName }: PodInfo) => [
    [key, uid, podClass, priority, demand],
    [claims, terms, nominatedNodeName],
  ];
  const full = facts(podInfo(rich.build()));
  expect(facts(podInfo(slimPod(rich.build())))).toEqual(full);
  expect(facts(podInfo(slimPod(rich.build(), new Interned())))).toEqual(full);
});

test("a slim pod is the same whether or not it shares parts with other pods", () => {
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } };
  const sharing = new Interned();
  for (const one of [rich, rich.on("n"), rich.affinity(affinity), rich.affinity(affinity).on("n"), pod("q").on("n")])
    expect(slimPod(one.build(), sharing)).toEqual(slimPod(one.build()));
});

test("pods of the same template share everything that is equal in them", () => {
  const sharing = new Interned();
  const [a, b] = ["a", "b"].map((name) => {
    const one = pod(name).labels({ app: "x" }).controlledBy(replicaSet("r"));
    return slimPod(one.on("n").build(), sharing);
  });
  expect(a?.spec.containers).toBe(b?.spec.containers);
  expect(a?.status).toBe(b?.status);
  expect(a?.metadata.labels).toBe(b?.metadata.labels);
  expect(a?.metadata.ownerReferences).toBe(b?.metadata.ownerReferences);
  expect(a && podInfo(a).podClass).toBe(b && podInfo(b).podClass);
  expect(a && podInfo(a).demand).toBe(b && podInfo(b).demand);
});

test("a slim pod has the fields that decisions depend on, and no others", () => {
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

test("a slim pod has only those conditions that the scheduler reads", () => {
  const conditions = [
    { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1" },
    { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", message: "m" },
    { type: "Ready", status: "True" },
  ] as const;
  const one = pod("p").status({ conditions: [...conditions] });
  expect(slimPod(one.build()).status.conditions).toEqual([conditions[0]]);
  expect(slimPod(one.on("a").build()).status.conditions).toBeUndefined();
  expect(slimPod(one.on("a").deletedAt().build()).status.conditions).toEqual([
    { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" },
  ]);
});

test("a slim node has the fields that decisions depend on, and no others", () => {
  const slim = slimNode(node("a").labels({ x: "y" }).taint("k", "NoSchedule").unschedulable().build());
  expect(slim).toMatchObject({
    metadata: { name: "a", labels: { x: "y" } },
    spec: { unschedulable: true, taints: [{ key: "k" }] },
    status: { allocatable: { cpu: "4" } },
  });
  expect(slim.status.conditions).toBeUndefined();
});
