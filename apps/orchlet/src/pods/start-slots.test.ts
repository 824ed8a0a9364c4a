import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { Lane } from "../util/limiter.ts";
import { createStartSlots } from "./start-slots.ts";

function starts(most: number) {
  const clock = new FakeClock("2023-06-01T00:00:00Z");
  const inSlot = createStartSlots(most, clock);
  const began: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const run = (name: string, signal = new AbortController().signal, lane?: Lane) =>
    inSlot(
      name.split("/")[0] ?? "",
      () =>
        new Promise<string>((resolve, reject) => {
          began.push(name);
          ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
        }),
      signal,
      lane,
    );
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    await settle();
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  return { began, run, end, pass };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("no more starts than slots run at once, the first lane comes first, and errors are those of the starts", async () => {
  const { began, run, end } = starts(1);
  const all = [run("a/1"), run("a/2"), run("a/3", undefined, "first")];
  await settle();
  expect(began).toEqual(["a/1"]);
  const failed = expect(all[0]).rejects.toThrow("it failed");
  await end("a/1", new Error("it failed"));
  await failed;
  expect(began).toEqual(["a/1", "a/3"]);
  await end("a/3");
  await end("a/2");
  expect(await Promise.all(all.slice(1))).toEqual(["a/2", "a/3"]);
});

test("a start whose pod terminates leaves the queue", async () => {
  const { began, run, end } = starts(1);
  const pod = new AbortController();
  const first = run("a/1");
  const second = run("a/2", pod.signal);
  pod.abort(new Error("the pod terminates"));
  await expect(second).rejects.toThrow("the pod terminates");
  await end("a/1");
  expect([await first, began]).toEqual(["a/1", ["a/1"]]);
});

test("starts that hang delay those of other namespaces only once, and are not all begun at once", async () => {
  const { began, run, end, pass } = starts(2);
  const hanging = Array.from({ length: 6 }, (_, index) => run(`bad/${index}`, undefined, "first"));
  await settle();
  const good = [run("good/1"), run("good/2"), run("good/3")];
  const ofBad = () => began.filter((name) => name.startsWith("bad")).length;
  await pass(14_999);
  expect(began).toEqual(["bad/0", "bad/1"]);
  await pass(1);
  expect(began.filter((name) => name.startsWith("good"))).toEqual(["good/1", "good/2"]);
  expect(ofBad()).toBe(4);
  // Those that hang are tried again, and delay only their namespace.
  const again = run("bad/again");
  await end("good/1");
  expect(began.at(-1)).toBe("good/3");
  await end("good/2");
  await end("good/3");
  await pass(15_000);
  expect(ofBad()).toBe(6);
  await pass(15_000);
  expect(ofBad()).toBe(7);
  for (const name of [...began]) await end(name);
  expect(await Promise.all([...hanging, ...good, again])).toHaveLength(10);
});

test("a slow burst of one namespace stays limited", async () => {
  const { began, run, end, pass } = starts(2);
  const all = Array.from({ length: 8 }, (_, index) => run(`slow/${index}`));
  await settle();
  await pass(15_000);
  for (const name of ["slow/0", "slow/1"]) await end(name);
  expect(began).toHaveLength(4);
  for (let i = 2; i < 8; i++) await end(`slow/${i}`);
  expect(await Promise.all(all)).toHaveLength(8);
});

test("some minutes after a start that hung, those of its namespace take slots again", async () => {
  const { began, run, end, pass } = starts(1);
  const all = [run("a/1")];
  await settle();
  await pass(15_000);
  await end("a/1");
  await pass(5 * 60_000);
  all.push(run("a/2"), run("a/3"));
  await settle();
  expect(began).toEqual(["a/1", "a/2"]);
  await end("a/2");
  await end("a/3");
  expect(await Promise.all(all)).toHaveLength(3);
});
