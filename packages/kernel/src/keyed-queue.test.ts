import { expect, test } from "vitest";
import { KeyedQueue } from "./keyed-queue.ts";

test("jobs of a key run one after the other, those of other keys concurrently, and a failing job blocks none", async () => {
  const turns = new KeyedQueue();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const job =
    (name: string, work: Promise<void> = Promise.resolve()) =>
    async () => {
      log.push(`${name} begins`);
      await work;
      log.push(`${name} ends`);
    };
  const first = turns.run("a", job("a1", gate.promise));
  const second = turns.run("a", job("a2"));
  await turns.run("b", job("b1"));
  expect(log).toEqual(["a1 begins", "b1 begins", "b1 ends"]);
  gate.reject(new Error("no"));
  await expect(first).rejects.toThrow("no");
  await second;
  expect(log.slice(3)).toEqual(["a2 begins", "a2 ends"]);
});

test("a key without jobs is removed", async () => {
  const turns = new KeyedQueue();
  await Promise.all([turns.run("a", async () => undefined), turns.run("a", async () => undefined)]);
  await turns.run("b", () => Promise.reject(new Error("no"))).catch(() => undefined);
  await Promise.resolve();
  expect(turns.size).toBe(0);
});
