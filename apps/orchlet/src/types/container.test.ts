import { expect, test } from "vitest";
import { containerHash, mayStart, stableJson } from "./container.ts";

test.each([
  [undefined, "Never", true],
  ["created", "Never", true],
  ["unknown", "Never", true],
  ["running", "Always", false],
  ["succeeded", "Always", true],
  ["succeeded", "OnFailure", false],
  ["failed", "OnFailure", true],
  ["failed", "Never", false],
] as const)("whether a container that is %s may be started with policy %s: %s", (is, policy, want) => {
  const ended = is === "succeeded" || is === "failed";
  const latest = is && { phase: ended ? "exited" : is, exitCode: is === "failed" ? 1 : 0 };
  expect(mayStart(latest, policy)).toBe(want);
});

test("the hash depends on the definition, and not on the order of its members", () => {
  const container = { name: "c", image: "i:1", resources: {} };
  expect(containerHash({ resources: {}, image: "i:1", name: "c" })).toBe(containerHash(container));
  expect(containerHash({ ...container, image: "i:2" })).not.toBe(containerHash(container));
});

test("JSON is sorted at all levels, and lists keep their order", () => {
  expect(stableJson({ b: [2, 1], a: { d: undefined, c: null } })).toBe('{"a":{"c":null},"b":[2,1]}');
});
