import { expect, test } from "vitest";
import { meta } from "../../testing/builders.ts";
import { graceLeftMs, type Namespace, reconcile } from "./reconcile.ts";

const deletedAt = "2024-01-01T00:00:00Z";
const namespace = (phase: "Active" | "Terminating", finalizers: readonly string[], leaving = true): Namespace => ({
  metadata: { ...meta("a"), ...(leaving ? { deletionTimestamp: deletedAt } : {}) },
  spec: { finalizers },
  status: { phase },
});

test.each<[string, Namespace, readonly string[]]>([
  ["stays", namespace("Active", ["orchernetes"], false), []],
  ["waits for somebody else", namespace("Terminating", ["example.com/a"]), []],
  ["has just been deleted", namespace("Active", ["orchernetes"]), ["MarkTerminating", "Empty"]],
  ["is known to be leaving", namespace("Terminating", ["orchernetes"]), ["Empty"]],
])("a namespace that %s", (_, given, want) => {
  expect(reconcile(given).actions.map(({ type }) => type)).toEqual(want);
});

test.each([
  ["2024-01-01T00:00:00Z", 5000],
  ["2024-01-01T00:00:02Z", 3000],
  ["2024-01-01T01:00:00Z", 0],
  ["2023-12-31T00:00:00Z", 5000],
])("at %s it is left alone for %i ms", (now, want) => {
  expect(graceLeftMs(namespace("Active", ["orchernetes"]), new Date(now))).toBe(want);
});
