import { type CriClient, CriError } from "@orchernetes/cri";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { testContainer, testPod, testRuntime, testSandbox } from "../testing/pods.ts";
import { createContainerKiller } from "./container-killer.ts";

/** A killer whose runtime records the hooks that it runs, with their limit, and the time between SIGTERM and SIGKILL. */
function recordingKiller(stopContainer?: () => Promise<void>) {
  const calls: string[] = [];
  const cri = {
    runtime: {
      async execSync({ cmd, timeout }: { cmd: string[]; timeout: number }) {
        calls.push(`${cmd.join(" ")} within ${timeout} s`);
        return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 };
      },
      stopContainer: async ({ timeout }: { timeout: number }) => void calls.push(`stopped after ${timeout} s`),
      ...(stopContainer && { stopContainer }),
    },
  } as unknown as CriClient;
  return { calls, killer: createContainerKiller({ cri, clock: systemClock, logger: silentLogger }) };
}

test.each([
  ["the longest of grace periods", Number.MAX_SAFE_INTEGER, undefined, 2_147_483, 2_147_483],
  ["no grace period, as of a pod that is deleted by force", 30, 0, 1, 2],
  ["a pod without a grace period", 0, undefined, 1, 2],
  ["a shorter one than the pod's", 30, 5, 5, 5],
])("with %s, hooks run, and containers get time after SIGTERM", async (_, own, given, hook, stop) => {
  const { calls, killer } = recordingKiller();
  const pod = testPod({
    terminationGracePeriodSeconds: own,
    containers: [{ name: "c", image: "i", lifecycle: { preStop: { exec: { command: ["flush"] } } } }],
  });
  await killer.kill(testContainer(pod), {
    pod,
    graceSeconds: given,
    recordEvent: () => undefined,
    signal: new AbortController().signal,
  });
  expect(calls).toEqual([`flush within ${hook} s`, `stopped after ${stop} s`]);
});

test("an error of the runtime does not hide why a container that was started just now is stopped", async () => {
  const { killer } = recordingKiller(() => Promise.reject(new Error("the runtime is away")));
  const pod = testPod({});
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error("the test pod has no container");
  const stop = new AbortController();
  const order = { pod, graceSeconds: undefined, recordEvent: () => undefined, signal: stop.signal };
  const target = { containerId: "1", container, podIP: "" };
  await expect(killer.killStarted(target, order)).resolves.toBeUndefined();
  stop.abort(new Error("the pod was deleted"));
  await expect(killer.killStarted(target, order)).rejects.toThrow("the pod was deleted");
});

test("all sandboxes of a pod are stopped, also those that are not ready, and each is tried", async () => {
  const stopped: string[] = [];
  const cri = {
    runtime: {
      async stopPodSandbox({ podSandboxId: id }: { podSandboxId: string }) {
        stopped.push(id);
        if (id === "s2") throw new CriError("StopPodSandbox", "NotFound", "no such sandbox");
        if (id === "s1") throw new Error("the network plugin is away");
      },
    },
  } as unknown as CriClient;
  const killer = createContainerKiller({ cri, clock: systemClock, logger: silentLogger });
  const sandboxes = ["s2", "s1", "s0"].map((id) => testSandbox({ id, ready: id === "s2" }));
  const order = {
    pod: testPod({}),
    graceSeconds: 1,
    recordEvent: () => undefined,
    signal: new AbortController().signal,
  };
  await expect(killer.killPod(testRuntime([], sandboxes), order)).rejects.toThrow("the network plugin is away");
  expect(stopped).toEqual(["s2", "s1", "s0"]);
});
