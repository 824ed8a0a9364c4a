import { expect, test } from "vitest";
import { type Lane, limiter } from "./limiter.ts";

function jobs(most: number) {
  const withSlot = limiter(most);
  const began: number[] = [];
  const ends = new Map<number, () => void>();
  const run = (id: number, signal?: AbortSignal, lane?: Lane) =>
    withSlot(
      () =>
        new Promise<void>((resolve) => {
          began.push(id);
          ends.set(id, resolve);
        }),
      signal,
      lane,
    );
  return { began, run, end: (id: number) => ends.get(id)?.() };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("jobs start in order of arrival, and no more than the limit run at once", async () => {
  const { began, run, end } = jobs(2);
  const all = [1, 2, 3, 4].map((id) => run(id));
  await settle();
  expect(began).toEqual([1, 2]);
  end(2);
  await settle();
  const late = run(5);
  expect(began).toEqual([1, 2, 3]);
  for (const id of [1, 3, 4, 5]) {
    end(id);
    await settle();
  }
  expect(began).toEqual([1, 2, 3, 4, 5]);
  await Promise.all([...all, late]);
});

test("an aborted job leaves the queue at once", async () => {
  const { began, run, end } = jobs(1);
  const first = run(1);
  const given = new AbortController();
  const second = run(2, given.signal);
  const third = run(3);
  given.abort(new Error("the pod is to end"));
  await expect(second).rejects.toThrow("the pod is to end");
  end(1);
  await settle();
  expect(began).toEqual([1, 3]);
  end(3);
  await Promise.all([first, third]);
});

test("jobs of the first lane are served before those that have waited for longer", async () => {
  const { began, run, end } = jobs(1);
  const all = [run(1), run(2), run(3), run(4, undefined, "first"), run(5, undefined, "first")];
  for (const id of [1, 4, 5, 2, 3]) {
    await settle();
    end(id);
  }
  await Promise.all(all);
  expect(began).toEqual([1, 4, 5, 2, 3]);
});
