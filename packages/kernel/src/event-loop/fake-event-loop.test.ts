import { expect, test } from "vitest";
import { FakeEventLoop } from "./fake-event-loop.ts";

test("a turn runs what was deferred before it, in order", async () => {
  const loop = new FakeEventLoop();
  const seen: string[] = [];
  loop.defer(() => {
    seen.push("a");
    loop.defer(() => seen.push("next"));
  });
  void loop.nextTurn().then(() => seen.push("promise"));
  expect([loop.waiting, loop.turn(), seen]).toEqual([2, true, ["a"]]);
  await loop.settle();
  expect([seen, loop.turn()]).toEqual([["a", "promise", "next"], false]);
});

test("a callback that throws leaves the others to the next turn", () => {
  const loop = new FakeEventLoop();
  const seen: string[] = [];
  loop.defer(() => {
    throw new Error("on purpose");
  });
  loop.defer(() => seen.push("b"));
  expect(() => loop.turn()).toThrow("on purpose");
  expect([loop.turn(), seen]).toEqual([true, ["b"]]);
});
