import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { targetContainer } from "./pod-target.ts";

const named = (...names: readonly string[]) => names.map((name) => ({ name }));

const pod = (regular: readonly string[], init: readonly string[], ephemeral: readonly string[]): core.Pod =>
  ({
    metadata: { name: "web" },
    spec: {
      containers: named(...regular),
      initContainers: named(...init),
      ephemeralContainers: named(...ephemeral),
    },
  }) as unknown as core.Pod;

test.each([
  ["the only one", pod(["app"], [], []), null, "app"],
  ["an empty name", pod(["app"], [], []), "", "app"],
  ["the only regular one beside init containers", pod(["app"], ["setup"], []), null, "app"],
  ["the only regular one beside ephemeral containers", pod(["app"], [], ["debug"]), null, "app"],
  ["an init container by name", pod(["app"], ["setup"], []), "setup", "setup"],
  ["an ephemeral container by name", pod(["app"], [], ["debug"]), "debug", "debug"],
])("finds %s", (_, given, asked, want) => {
  expect(targetContainer(given, asked)).toBe(want);
});

test.each([
  [
    "several",
    pod(["a", "b"], ["setup"], ["debug"]),
    null,
    "a container name must be specified for pod web, choose one of: [setup a b debug]",
  ],
  ["an unknown name", pod(["app"], [], []), "other", "container other is not valid for pod web"],
])("refuses %s", (_, given, asked, message) => {
  expect(() => targetContainer(given, asked)).toThrow(message);
});
