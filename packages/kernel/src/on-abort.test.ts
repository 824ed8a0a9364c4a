import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "./on-abort.ts";

test("all that wait are called once, in order, by one listener of the signal", () => {
  const end = new AbortController();
  const called: string[] = [];
  onAbort(end.signal, () => called.push("a"));
  const undo = onAbort(end.signal, () => called.push("b"));
  onAbort(end.signal, () => called.push("c"));
  expect(getEventListeners(end.signal, "abort")).toHaveLength(1);
  undo();
  undo();
  end.abort();
  end.abort();
  expect(called).toEqual(["a", "c"]);
});

test("a signal that nothing waits for any more has no listener, and may be waited for again", () => {
  const end = new AbortController();
  const called: string[] = [];
  const undo = onAbort(end.signal, () => called.push("a"));
  undo();
  expect(getEventListeners(end.signal, "abort")).toHaveLength(0);
  onAbort(end.signal, () => called.push("b"));
  end.abort();
  expect(called).toEqual(["b"]);
});
