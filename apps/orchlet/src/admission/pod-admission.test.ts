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
      preempt: async () => undefined,
      ...options,
    }),
  };
}
const pod = (uid: string, spec: object = {}, metadata: object = {}) => testPod(spec, { uid, ...metadata });
const onPort80 = { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 80 }] }] };
const reasonOf = async (answer: Promise<{ readonly reason: string } | undefined>) => (await answer)?.reason;

test("the node is read again before a pod is rejected, because a label may be newer than the watch", async () => {
  const { admit } = admission({ freshNode: async () => testNode({ labels: { disk: "ssd" } }) });
  expect(await admit(pod("a", { nodeSelector: { disk: "ssd" } }), signal)).toBeUndefined();
});

test("no decision is made while the node cannot be read", async () => {
  const { admit } = admission({
    freshNode: async () => {
      throw new Error("the API server is away");
    },
  });
  await expect(admit(pod("a", { nodeSelector: { disk: "ssd" } }), signal)).rejects.toThrow("the API server is away");
});

test("a pod that no node could run is rejected without reading the node", async () => {
  const { admit, active, reads } = admission();
  active.push(pod("a", onPort80), pod("b", onPort80));
  expect(await admit(pod("a", onPort80), signal)).toBeUndefined();
  expect(await reasonOf(admit(pod("b", onPort80), signal))).toBe("NodePorts");
  expect(reads).toEqual([]);
});

test("if two pods request the same host port at the same time, one of them is rejected", async () => {
  const { admit, active } = admission();
  const pods = [pod("a", onPort80), pod("b", onPort80)];
  active.push(...pods);
  const reasons = await Promise.all(pods.map((one) => reasonOf(admit(one, signal))));
  expect(reasons).toEqual([undefined, "NodePorts"]);
});

test("pods that wait for their own admission do not use resources yet", async () => {
  const { admit, active } = admission();
  for (const uid of ["a", "b", "c", "d"]) active.push(pod(uid));
  const reasons = await Promise.all(active.map((one) => reasonOf(admit(one, signal))));
  expect(reasons).toEqual([undefined, undefined, undefined, "OutOfpods"]);
});

test("running pods count until they are gone", async () => {
  const { admit, active, grant, forget } = admission();
  active.push(pod("a", onPort80));
  grant("a");
  expect(await reasonOf(admit(pod("b", onPort80), signal))).toBe("NodePorts");
  forget("a");
  expect(await reasonOf(admit(pod("b", onPort80), signal))).toBeUndefined();
});

const criticalPod = (uid: string, spec: object = {}) => pod(uid, { priority: 2_000_000_000, ...spec });
const asking = (cpu: string) => ({ containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }] });

/** An admission whose victims end when the test says so. */
function preempting(options: Partial<PodAdmissionOptions> = {}) {
  const victims: string[] = [];
  const ends: (() => void)[] = [];
  const made = admission({
    async preempt(victim, resource) {
      victims.push(`${victim.metadata.uid} for ${resource}`);
      await new Promise<void>((resolve) => ends.push(resolve));
      made.active.splice(made.active.indexOf(victim), 1);
    },
    ...options,
  });
  const settle = () => new Promise(setImmediate);
  return {
    ...made,
    victims,
    settle,
    /** The victim that is being evicted has ended. */
    async ended() {
      ends.shift()?.();
      await settle();
    },
    run(...pods: readonly core.Pod[]) {
      for (const one of pods) {
        made.active.push(one);
        made.grant(one.metadata.uid ?? "");
      }
    },
  };
}

test("a critical pod that does not fit is admitted when its victims have terminated, one after the other", async () => {
  const { admit, run, victims, settle, ended } = preempting();
  run(pod("a", asking("1")), pod("b", asking("900m")));
  let answer: unknown = "open";
  const admitted = admit(criticalPod("critical", asking("2")), signal).then((refusal) => {
    answer = refusal;
  });
  await settle();
  expect([victims, answer]).toEqual([["a for cpu"], "open"]);
  await ended();
  expect([victims, answer]).toEqual([["a for cpu", "b for cpu"], "open"]);
  await ended();
  await admitted;
  expect(answer).toBeUndefined();
});

test("other pods are not admitted before the preemption is complete", async () => {
  const { admit, run, active, settle, ended } = preempting();
  run(pod("a", asking("2")));
  active.push(criticalPod("critical", asking("1")));
  const first = admit(criticalPod("critical", asking("1")), signal);
  await settle();
  const [fits, tooMuch] = [admit(pod("b", asking("1")), signal), admit(pod("c", asking("2")), signal)];
  await settle();
  active.push(pod("b", asking("1")), pod("c", asking("2")));
  await ended();
  expect(await Promise.all([first, reasonOf(fits), reasonOf(tooMuch)])).toEqual([undefined, undefined, "OutOfcpu"]);
});

test.each([
  ["a pod", pod],
  ["a second critical pod", criticalPod],
])("%s that is admitted at the same time waits for the preemption by the first one", async (_, make) => {
  const { admit, run, active, victims, settle, ended } = preempting();
  const others = [criticalPod("critical", asking("1")), make("b", asking("1"))];
  active.push(...others);
  run(pod("a", asking("2")));
  const answers = others.map((one) => admit(one, signal));
  await settle();
  await ended();
  expect([await Promise.all(answers), victims]).toEqual([[undefined, undefined], ["a for cpu"]]);
});

const unreadable = {
  freshNode: async () => {
    throw new Error("the API server is away");
  },
};
const staticPod = (uid: string, spec: object = {}) =>
  pod(uid, spec, { annotations: { "orchernetes.io/config.source": "file" } });

test("a static pod preempts others even if the node cannot be read, because it may be the API server", async () => {
  const { admit, run, victims, settle, ended } = preempting(unreadable);
  run(pod("a", asking("2")));
  const admitted = admit(staticPod("apiserver", asking("1")), signal);
  await settle();
  await ended();
  expect([await admitted, victims]).toEqual([undefined, ["a for cpu"]]);
});

test.each([
  ["static pod for which no eviction makes room", staticPod, asking("3")],
  ["static pod of other nodes", staticPod, { nodeSelector: { disk: "ssd" } }],
  ["critical pod of the API server", criticalPod, asking("1")],
])("while the node cannot be read, no decision is made about a %s", async (_, make, spec) => {
  const { admit, run, victims } = preempting(unreadable);
  run(pod("a", asking("2")));
  await expect(admit(make("x", spec), signal)).rejects.toThrow("the API server is away");
  expect(victims).toEqual([]);
});

test.each([
  ["a pod that is not critical", pod, asking("2"), "OutOfcpu"],
  ["a critical pod with a second reason", criticalPod, { ...asking("2"), nodeName: "node-b" }, "NodeName"],
  ["a critical pod for which no eviction makes room", criticalPod, asking("3"), "UnexpectedAdmissionError"],
])("no pod is evicted for %s", async (_, make, spec, want) => {
  const { admit, run, victims } = preempting();
  run(pod("a", asking("1")));
  const refusal = await admit(make("x", spec), signal);
  expect([refusal?.reason, victims]).toEqual([want, []]);
  if (want === "UnexpectedAdmissionError")
    expect(refusal?.message).toBe(
      "Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: " +
        "no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]",
    );
});

test("no pod is evicted before the node is read again, because it may have room", async () => {
  const { admit, run, victims } = preempting({ freshNode: async () => testNode({ allocatable: { cpu: "4" } }) });
  run(pod("a", asking("2")));
  expect(await admit(criticalPod("x", asking("2")), signal)).toBeUndefined();
  expect(victims).toEqual([]);
});

test("a pod that is deleted during its preemption stops waiting, and its victims terminate nevertheless", async () => {
  const { admit, run, victims, settle, ended } = preempting();
  run(pod("a", asking("1")), pod("b", asking("1")));
  const deleted = new AbortController();
  const admitted = admit(criticalPod("x", asking("2")), deleted.signal);
  await settle();
  deleted.abort(new Error("the pod is to end"));
  await expect(admitted).rejects.toThrow("the pod is to end");
  await ended();
  expect(victims).toEqual(["b for cpu", "a for cpu"]);
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
])("whether a node under pressure admits %s", async (_, pressure, spec, want) => {
  const refusal = await admission({ pressure: () => pressure }).admit(pod("a", spec), signal);
  expect(refusal?.reason).toBe(want);
  if (want !== undefined)
    expect(refusal?.message).toBe(`The node had condition: [${pressure.disk ? "Disk" : "Memory"}Pressure]. `);
});
