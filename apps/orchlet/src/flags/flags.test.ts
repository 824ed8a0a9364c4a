import { flagProblems, referenceDifferences } from "@orchernetes/component/flag-reference";
import { expect, test } from "vitest";
import { orchletFlags as flags } from "./index.ts";

test("the defaults parse, every default is a value of its flag, and the help shows every flag that is not hidden", () => {
  expect(flagProblems("orchlet", flags)).toEqual([]);
});

test("names and defaults agree with the reference", () => {
  expect(referenceDifferences("orchlet", flags, ["experimental-mounter-path"])).toEqual([]);
});
