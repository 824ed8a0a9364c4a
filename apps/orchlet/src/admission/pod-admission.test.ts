import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { testNode } from "../testing/nodes.ts";
import { testPod } from "../testing/pods.ts";
import { createPodAdmission, type PodAdmissionOptions } from "./pod-admission.ts";

const signal = new AbortController().signal;
const none = { memory: false, disk: false, pids: false };

function admission(options: Partial<PodAdmissionOptions> = {}) {
  const active: core.Pod[] = [];
  const reads: string[] = [];
  return {
    active,
    reads,
    ...createPodAdmission({
      active: () => active,
      node: () => testNode({}),
      freshNode: async () => {
        reads.push("node");
        return testNode({});
      },
      pressure: () => none,
      sysctls: () => undefined,
      appArmor: () => undefined,
      ...options,
    }),
  };
}
const pod = (uid: string, spec: object = {}, metadata: object = {}) => testPod(spec, { uid, ...metadata });
const onPort80 = { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 80 }] }] };
const reasonOf = async (answer: Promise<{ readonly reason: string } | undefined>) => (await answer)?.reason;

test("before a refusal the node is read afresh: a label may be newer than the watch", async () => {
  const { admit } = admission({ freshNode: async () => testNode({ labels: { disk: "ssd" } }) });
  expect(await admit(pod("a", { nodeSelector: { disk: "ssd" } }), signal)).toBeUndefined();
});

test("a node that cannot be read leaves the question open", async () => {
  const { admit } = admission({
    freshNode: async () => {
      throw new Error("the API server is away");
    },
  });
  await expect(admit(pod("a", { nodeSelector: { disk: "ssd" } }), signal)).rejects.toThrow("the API server is away");
});

test("a refusal that no node could change needs no look at it", async () => {
  const { admit, active, reads } = admission();
  active.push(pod("a", onPort80), pod("b", onPort80));
  expect(await admit(pod("a", onPort80), signal)).toBeUndefined();
  expect(await reasonOf(admit(pod("b", onPort80), signal))).toBe("NodePorts");
  expect(reads).toEqual([]);
});

test("of two pods at once that want the same host port one is refused", async () => {
  const { admit, active } = admission();
  const pods = [pod("a", onPort80), pod("b", onPort80)];
  active.push(...pods);
  const reasons = await Promise.all(pods.map((one) => reasonOf(admit(one, signal))));
  expect(reasons).toEqual([undefined, "NodePorts"]);
});

test("pods that wait for their own admission take nothing yet", async () => {
  const { admit, active } = admission();
  for (const uid of ["a", "b", "c", "d"]) active.push(pod(uid));
  const reasons = await Promise.all(active.map((one) => reasonOf(admit(one, signal))));
  expect(reasons).toEqual([undefined, undefined, undefined, "OutOfpods"]);
});

test("pods that run already count, and no longer once they are gone", async () => {
  const { admit, active, grant, forget } = admission();
  active.push(pod("a", onPort80));
  grant("a");
  expect(await reasonOf(admit(pod("b", onPort80), signal))).toBe("NodePorts");
  forget("a");
  expect(await reasonOf(admit(pod("b", onPort80), signal))).toBeUndefined();
});

const memory = { ...none, memory: true };
const requests = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1m" } } }] };
test.each([
  ["a pod that asks for nothing", memory, {}, "Evicted"],
  ["a pod that asks for something", memory, requests, undefined],
  [
    "a pod that tolerates it",
    memory,
    { tolerations: [{ key: "node.orchernetes.io/memory-pressure", operator: "Exists" }] },
    undefined,
  ],
  ["a critical pod", { ...none, disk: true }, { priority: 2_000_000_000 }, undefined],
  ["a pod that asks for something", { ...none, disk: true }, requests, "Evicted"],
])("a node under pressure and %s", async (_, pressure, spec, want) => {
  const refusal = await admission({ pressure: () => pressure }).admit(pod("a", spec), signal);
  expect(refusal?.reason).toBe(want);
  if (want !== undefined)
    expect(refusal?.message).toBe(`The node had condition: [${pressure.disk ? "Disk" : "Memory"}Pressure]. `);
});
