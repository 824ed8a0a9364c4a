import { expect, test } from "vitest";
import { parseDeleteOptions } from "./write-options.ts";

test.each([
  ["", undefined],
  ["orphanDependents=true", true],
  // Clients in Python write their booleans like this.
  ["orphanDependents=True", true],
  ["orphanDependents=False", false],
  ["orphanDependents=0", false],
])("dependents of a delete with %j", (query, want) => {
  expect(parseDeleteOptions(undefined, new URLSearchParams(query)).orphanDependents).toBe(want);
});
