import { expect, test } from "vitest";
import { messageOf } from "./message-of.ts";

test.each([
  ["an error", new Error("the disk is full"), "the disk is full"],
  ["an error with a cause", new TypeError("invalid", { cause: new Error("deeper") }), "invalid"],
  ["a string", "the disk is full", "the disk is full"],
  ["undefined", undefined, "undefined"],
  ["an object that is no error", { message: "no" }, "[object Object]"],
])("the message of %s", (_name, thrown, want) => {
  expect(messageOf(thrown)).toBe(want);
});
