import type { core } from "@orchernetes/api";
import { pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { isFulfilled } from "./fulfilled-pods.ts";

const terminated = (exitCode: number, reason: string, startedAt = "2026-11-29T05:40:00Z"): core.ContainerState => ({
  terminated: { exitCode, reason, startedAt },
});
const ended = (phase: "Pending" | "Succeeded" | "Failed", ...states: readonly core.ContainerState[]) =>
  pod("p")
    .spec({ restartPolicy: "Never" })
    .status({
      phase,
      containerStatuses: states.map((state) => ({
        name: "c",
        image: "i",
        imageID: "",
        ready: false,
        restartCount: 0,
        lastState: {},
        state,
      })),
    })
    .build();
const ready = pod("p")
  .status({ conditions: [{ type: "Ready", status: "True" }] })
  .build();
const unknown = terminated(255, "Unknown");

test.each([
  ["a ready pod is", ready, false, true],
  ["one that succeeded is", ended("Succeeded", terminated(0, "Completed")), false, true],
  ["one that has not started is not", ended("Pending"), true, false],
  ["one whose exit code a killed runtime has lost is", ended("Failed", unknown), true, true],
  ["one that never ran is not", ended("Failed", terminated(255, "Unknown", "1970-01-01T00:00:00Z")), true, false],
  ["one whose exit code is unknown although the runtime was not killed is not", ended("Failed", unknown), false, false],
  ["one of whose containers failed is not", ended("Failed", unknown, terminated(1, "Error")), true, false],
  ["one that failed with that code is not", ended("Failed", terminated(255, "Error")), true, false],
  [
    "one that is restarted is not",
    pod("p").spec({ restartPolicy: "Always" }).status(ended("Failed", unknown).status).build(),
    true,
    false,
  ],
])("a pod has what it was made for: %s", (_, of, runtimeWasKilled, want) => {
  expect(isFulfilled(of, runtimeWasKilled)).toBe(want);
});
