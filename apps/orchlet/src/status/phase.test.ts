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
  ["a removed init container that failed before", "Never", [crashing], [waiting], "Failed"],
  ["succeeded init containers", "Never", [succeeded], [running], "Running"],
])("a pod with %s and policy %s", (_, restartPolicy, init, regular, want) => {
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
