import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { keepUnprinted } from "./unprinted-warnings.ts";

const before = process.listeners("warning");
const printed: string[] = [];
const printer = ({ name, message }: Error): void => void printed.push(`${name}: ${message}`);

afterEach(() => {
  process.removeAllListeners("warning");
  for (const listener of before) process.on("warning", listener);
  printed.length = 0;
});

test("expected warnings are not printed, others are, and all of them after it is undone", async () => {
  process.removeAllListeners("warning");
  process.on("warning", printer);
  const undo = keepUnprinted(({ name }) => name === "ExpectedWarning");
  process.emitWarning("a", "ExpectedWarning");
  process.emitWarning("b", "OtherWarning");
  await nextTurn();
  expect(printed).toEqual(["OtherWarning: b"]);
  undo();
  process.emitWarning("c", "ExpectedWarning");
  await nextTurn();
  expect(printed).toEqual(["OtherWarning: b", "ExpectedWarning: c"]);
  expect(process.listeners("warning")).toEqual([printer]);
});
