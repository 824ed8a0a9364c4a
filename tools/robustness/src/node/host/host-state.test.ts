import { expect, test } from "vitest";
import { differences } from "./host-state.ts";

const state = (mounts: readonly string[], cgroups: readonly string[] = []) =>
  new Map([
    ["mount", mounts],
    ["control group", cgroups],
  ]);

test("what is the same in another order is no difference", () => {
  expect(differences(state(["/a", "/b"]), state(["/b", "/a"]))).toEqual([]);
});

test("what was added is left, and what is gone is lost", () => {
  expect(differences(state(["/a"], ["p1"]), state(["/a", "/b"], []))).toEqual([
    "mount /b is left",
    "control group p1 is lost",
  ]);
});

test("a second mount at the same place is left", () => {
  expect(differences(state(["/a"]), state(["/a", "/a"]))).toEqual(["mount /a is left"]);
});
