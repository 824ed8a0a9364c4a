import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { SharedCall } from "./shared-call.ts";

/** A call whose reads the test resolves, with their number. */
function setup() {
  const reads: PromiseWithResolvers<number>[] = [];
  const call = new SharedCall(() => {
    const read = Promise.withResolvers<number>();
    reads.push(read);
    return read.promise;
  });
  const answer = (n: number) => reads[n]?.resolve(n);
  return { reads, answer, call, started: (n: number) => expect.poll(() => reads.length).toBe(n) };
}

test("callers of one turn share a read", async () => {
  const { call, answer, started } = setup();
  const calls = [call.run(), call.run(), call.run()];
  await started(1);
  answer(0);
  expect(await Promise.all(calls)).toEqual([0, 0, 0]);
});

test("a caller that arrives after the start gets a read that starts later, without waiting for the one before", async () => {
  const { call, answer, started } = setup();
  const first = call.run();
  await started(1);
  const later = [call.run(), call.run()];
  await started(2);
  answer(1);
  expect(await Promise.all(later)).toEqual([1, 1]);
  answer(0);
  expect(await first).toBe(0);
});

test("three reads may be in flight; later callers share the one that starts when one of them has ended", async () => {
  const { call, reads, answer, started } = setup();
  const before: Promise<number>[] = [];
  for (let n = 1; n <= 3; n++) {
    before.push(call.run());
    await started(n);
  }
  const later = [call.run()];
  for (let i = 0; i < 20; i++) await nextTurn();
  later.push(call.run());
  expect(reads.length).toBe(3);
  answer(1);
  await started(4);
  for (const n of [0, 2, 3]) answer(n);
  expect(await Promise.all(before)).toEqual([0, 1, 2]);
  expect(await Promise.all(later)).toEqual([3, 3]);
});

test("a read waits while callers keep arriving, but not forever", async () => {
  const { call, reads, answer, started } = setup();
  const calls: Promise<number>[] = [];
  const come = async (turns: number) => {
    for (let turn = 0; turn < turns; turn++) {
      calls.push(call.run());
      await nextTurn();
    }
  };
  await come(4);
  expect(reads.length).toBe(0);
  // Fewer turns than two reads wait for.
  await come(9);
  expect(reads.length).toBe(1);
  await started(2);
  answer(0);
  answer(1);
  const answers = await Promise.all(calls);
  expect(answers.toSorted()).toEqual(answers);
  expect(new Set(answers)).toEqual(new Set([0, 1]));
});

test("a failed read fails its own callers only", async () => {
  const { call, reads, answer, started } = setup();
  const first = call.run();
  await started(1);
  const second = call.run();
  reads[0]?.reject(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  await started(2);
  answer(1);
  expect(await second).toBe(1);
});
