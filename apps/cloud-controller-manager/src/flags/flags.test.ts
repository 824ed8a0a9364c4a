import { flagProblems, referenceDifferences } from "@orchernetes/component/flag-reference";
import { expect, test } from "vitest";
import { cloudControllerManagerFlags as flags } from "./index.ts";

test("the default of every flag is a valid value of the flag, and the help shows every flag that is not hidden", () => {
  expect(flagProblems("cloud-controller-manager", flags)).toEqual([]);
});

test("names and defaults of the flags are those of the reference", () => {
  expect(referenceDifferences("cloud-controller-manager", flags)).toEqual([]);
});
