import { pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { AttemptRecords } from "./attempt-records.ts";
import type { ExtenderExchange } from "./exchange.ts";

const ofLength = (length: number): ExtenderExchange => ({
  extender: 0,
  verb: "filter",
  asked: [],
  answer: { type: "error", message: "x".repeat(length) },
});

function setUp() {
  let seed = 5;
  const records = new AttemptRecords({ now: () => new Date(0), seed: () => seed });
  return {
    records,
    attempt(name: string, length: number): void {
      const open = records.begin(podInfo(pod(name).build()), 3);
      seed++;
      open.record(ofLength(length));
      open.keep();
    },
    names: () => records.all.map((one) => [one.pod, one.exchanges[0]?.answer]).map(([name]) => name),
  };
}

test("the last attempt of each pod is kept, with the state in which it began", () => {
  const { records, attempt } = setUp();
  attempt("a", 1);
  attempt("b", 1);
  attempt("a", 2);
  expect(records.all).toMatchObject([
    { pod: "default/b", start: 3, seed: 6 },
    { pod: "default/a", start: 3, seed: 7, time: "1970-01-01T00:00:00.000Z", exchanges: [ofLength(2)] },
  ]);
});

test("the size of the records is limited: the oldest attempts are dropped, and enormous ones are not kept", () => {
  const { attempt, names } = setUp();
  const mebi = 1024 * 1024;
  for (let i = 0; i < 10; i++) attempt(`p${i}`, mebi);
  expect(names()).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map((i) => `default/p${i}`));
  attempt("p5", mebi + 1);
  expect(names()).not.toContain("default/p5");
  attempt("small", 1);
  expect(names()).toHaveLength(8);
});
