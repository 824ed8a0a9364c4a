import { expect, test } from "vitest";
import { parseWatchCacheSizes } from "./watch-cache-sizes.ts";

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ["nothing", [], [], []],
  ["the core group", ["events#0"], ["/events"], []],
  ["a group", ["leases.coordination.o8s.io#0", "pods#0"], ["coordination.o8s.io/leases", "/pods"], []],
  ["a size that means nothing", ["pods#1000", "events#0"], ["/events"], ["pods#1000"]],
])("%s", (_, texts, off, idle) => {
  const errors: string[] = [];
  const sizes = parseWatchCacheSizes(texts, (error) => errors.push(error));
  expect([errors, [...sizes.off], sizes.idle]).toEqual([[], off, idle]);
});

test.each<[string, string]>([
  ["pods", "a size is resource.group#size"],
  ["pods#", "a size is resource.group#size"],
  ["#0", "a size is resource.group#size"],
  ["pods#many", "a size is resource.group#size"],
  ["pods#0#1", "a size is resource.group#size"],
  ["apps/deployments#0", "a size is resource.group#size"],
  ["pods#-1", "cannot be negative"],
])("%s is refused", (text, want) => {
  const errors: string[] = [];
  parseWatchCacheSizes([text], (error) => errors.push(error));
  expect(errors).toEqual([expect.stringContaining(want)]);
  expect(errors[0]).toContain(JSON.stringify(text));
});

test("a resource given twice is refused", () => {
  const errors: string[] = [];
  parseWatchCacheSizes(["pods#0", "pods#5"], (error) => errors.push(error));
  expect(errors).toEqual(['"pods" is given twice']);
});
