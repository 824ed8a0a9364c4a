import { systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { ClientBudgets } from "./client-budgets.ts";

function budgets(maxClients: number) {
  const time = { ms: 0 };
  const clock = { ...systemClock, monotonicMs: () => time.ms };
  return { time, budgets: new ClientBudgets({ clock, perSecond: 2, burst: 3, maxClients }) };
}

test("a client has a burst of questions, and then as many as a second earns", () => {
  const { time, budgets: clients } = budgets(10);
  expect([1, 2, 3, 4].map(() => clients.enter("a"))).toEqual([true, true, true, false]);
  expect(clients.enter("b")).toBe(true);
  time.ms = 1000;
  expect([1, 2, 3].map(() => clients.enter("a"))).toEqual([true, true, false]);
  time.ms = 100_000;
  expect([1, 2, 3, 4].map(() => clients.enter("a"))).toEqual([true, true, true, false]);
});

test("large answers are paid for afterwards", () => {
  const { time, budgets: clients } = budgets(10);
  expect(clients.enter("a")).toBe(true);
  clients.charge("a", 4);
  time.ms = 1000;
  expect(clients.enter("a")).toBe(false);
  time.ms = 2000;
  expect(clients.enter("a")).toBe(true);
});

test("forged addresses take no more memory than the limit", () => {
  const { budgets: clients } = budgets(2);
  for (let i = 0; i < 3; i++) clients.enter("a");
  clients.enter("b");
  expect(clients.enter("a")).toBe(false);
  clients.enter("c");
  expect(clients.enter("a")).toBe(false);
  clients.enter("d");
  clients.enter("e");
  expect(clients.enter("a")).toBe(true);
});
