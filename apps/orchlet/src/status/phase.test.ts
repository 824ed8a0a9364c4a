import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { phaseOf } from "./phase.ts";

const status = (state: object, lastState: object = {}) => ({ state, lastState }) as core.ContainerStatus;
const running = status({ running: {} });
const waiting = status({ waiting: { reason: "ContainerCreating" } });
const succeeded = status({ terminated: { exitCode: 0 } });
const failed = status({ terminated: { exitCode: 1 } });
const crashing = status({ waiting: { reason: "CrashLoopBackOff" } }, { terminated: { exitCode: 1 } });

type Policy = NonNullable<core.PodSpec["restartPolicy"]>;

test.each<[string, Policy, core.ContainerStatus[], core.ContainerStatus[], string]>([
  ["a running container", "Always", [], [running], "Running"],
  ["a container that was never started", "Always", [], [running, waiting], "Pending"],
  ["a crashing container", "Always", [], [crashing], "Running"],
  ["only succeeded containers that are restarted", "Always", [], [succeeded], "Running"],
  ["only succeeded containers", "OnFailure", [], [succeeded, succeeded], "Succeeded"],
  ["a failed container that is restarted", "OnFailure", [], [succeeded, failed], "Running"],
  ["a failed container", "Never", [], [succeeded, failed], "Failed"],
  ["a running init container", "Always", [running], [waiting], "Pending"],
  ["a failed init container that is restarted", "OnFailure", [failed], [waiting], "Pending"],
  ["a failed init container", "Never", [failed], [waiting], "Failed"],
  ["an init container that fails again in a new sandbox", "Always", [crashing], [crashing], "Running"],
  ["a removed init container that failed before", "Never", [crashing], [waiting], "Failed"],
  ["succeeded init containers", "Never", [succeeded], [running], "Running"],
])("the phase of a pod with %s and policy %s", (_, restartPolicy, init, regular, want) => {
  expect(phaseOf({ containers: [], restartPolicy }, init, regular, false)).toBe(want);
});

test.each<[string, core.ContainerStatus[], core.ContainerStatus[], string]>([
  ["all containers succeeded", [succeeded], [succeeded], "Succeeded"],
  ["a container failed", [], [succeeded, failed], "Failed"],
  ["a container never ran", [], [succeeded, waiting], "Failed"],
  ["an init container did not complete", [waiting], [succeeded], "Failed"],
])("the final phase of a terminated pod when %s", (_, init, regular, want) => {
  expect(phaseOf({ containers: [], restartPolicy: "Always" }, init, regular, true)).toBe(want);
});

const between = status({ waiting: { reason: "PodInitializing" } }, { terminated: { exitCode: 0 } });
const kinds = [running, waiting, succeeded, failed, crashing, between];

/** The exit code of a container that has ended, now or before its last restart. */
const exitOf = ({ state, lastState }: core.ContainerStatus): number | undefined =>
  state.running ? undefined : (state.terminated ?? lastState.terminated)?.exitCode;

/** The rules of the original, one after the other. A phase that is still open when a pod has ended is Failed. */
function expectedPhase(policy: Policy, init: core.ContainerStatus[], regular: core.ContainerStatus[], over: boolean) {
  const isOver = (phase: string): string => (over && (phase === "Pending" || phase === "Running") ? "Failed" : phase);
  if (policy === "Never" && init.some((one) => (exitOf(one) ?? 0) !== 0)) return "Failed";
  if ([...init, ...regular.filter(({ state }) => !state.running)].some((one) => exitOf(one) === undefined))
    return isOver("Pending");
  if (regular.some(({ state }) => state.running)) return isOver("Running");
  const allSucceeded = regular.every(({ state }) => state.terminated?.exitCode === 0);
  if (over) return allSucceeded ? "Succeeded" : "Failed";
  if (policy === "Always") return "Running";
  if (allSucceeded) return "Succeeded";
  return policy === "Never" ? "Failed" : "Running";
}

test("every combination of up to two init containers and two others has the same phase as in the kubelet", () => {
  const inits = [[], ...kinds.map((one) => [one]), ...kinds.flatMap((a) => kinds.map((b) => [a, b]))];
  const regulars = inits.filter(({ length }) => length > 0);
  for (const restartPolicy of ["Always", "OnFailure", "Never"] as const)
    for (const init of inits)
      for (const regular of regulars)
        for (const over of [false, true]) {
          const phase = phaseOf({ containers: [], restartPolicy }, init, regular, over);
          const want = expectedPhase(restartPolicy, init, regular, over);
          if (phase !== want) expect({ restartPolicy, init, regular, over, phase }).toBe(want);
        }
});
