import { expect, test } from "vitest";
import { systemEventLoop } from "./event-loop.ts";
import { OwnTurns } from "./own-turns.ts";

test("callers of one turn run in separate turns, in order", async () => {
  const turns = new OwnTurns(systemEventLoop);
  let turn = 0;
  let counting = true;
  const count = async () => {
    for (; counting; turn++) await systemEventLoop.nextTurn();
  };
  const counted = count();
  const worked: { readonly caller: number; readonly turn: number }[] = [];
  await Promise.all(
    [0, 1, 2, 3].map(async (caller) => {
      await turns.next();
      worked.push({ caller, turn });
    }),
  );
  counting = false;
  await counted;
  expect(worked.map(({ caller }) => caller)).toEqual([0, 1, 2, 3]);
  expect(new Set(worked.map((work) => work.turn)).size).toBe(4);
});
