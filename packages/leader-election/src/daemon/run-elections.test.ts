import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Elections, runElections } from "./run-elections.ts";

/** An elector of which a test says what becomes of it. */
function elector() {
  const outcome = Promise.withResolvers<"cancelled" | "lost">();
  const seen = { runs: 0, aborted: false };
  return {
    seen,
    lose: () => outcome.resolve("lost"),
    end: () => outcome.resolve("cancelled"),
    fail: (error: Error) => outcome.reject(error),
    run(signal: AbortSignal) {
      seen.runs++;
      signal.addEventListener("abort", () => {
        seen.aborted = true;
        outcome.resolve("cancelled");
      });
      return outcome.promise;
    },
  };
}

function start() {
  const main = elector();
  const second = elector();
  const ready = Promise.withResolvers<void>();
  const stop = new AbortController();
  const elections: Elections = { main, migration: { elector: second, ready: ready.promise } };
  return { main, second, ready: ready.resolve, stop, running: runElections(elections, stop.signal) };
}

test("the second lock is attempted when the work under the main one is prepared", async () => {
  const { main, second, ready, stop, running } = start();
  await turn();
  expect([main.seen.runs, second.seen.runs]).toEqual([1, 0]);
  ready();
  await turn();
  expect(second.seen.runs).toBe(1);
  stop.abort();
  await running;
  expect([main.seen.aborted, second.seen.aborted]).toEqual([true, true]);
});

test("a replica that waits for the main lock stops without the second one", async () => {
  const { second, stop, running } = start();
  stop.abort();
  await running;
  expect(second.seen.runs).toBe(0);
});

test("the end of the work under the main lock ends the other", async () => {
  const { main, second, ready, running } = start();
  ready();
  await turn();
  main.end();
  await running;
  expect(second.seen.aborted).toBe(true);
});

test.each([
  ["main", "leader election lost"],
  ["second", "migration leader election lost"],
] as const)("the loss of the %s lock is an error, and ends the other", async (which, message) => {
  const started = start();
  started.ready();
  await turn();
  started[which].lose();
  await expect(started.running).rejects.toThrow(message);
  expect(started[which === "main" ? "second" : "main"].seen.aborted).toBe(true);
});

test("work that fails under the second lock is an error when the main lock is released", async () => {
  const { main, second, ready, running } = start();
  ready();
  await turn();
  second.fail(new Error("no cloud"));
  await expect(running).rejects.toThrow("no cloud");
  expect(main.seen.aborted).toBe(true);
});

test("without a second lock there is one election", async () => {
  const main = elector();
  const running = runElections({ main }, new AbortController().signal);
  main.lose();
  await expect(running).rejects.toThrow("leader election lost");
});
