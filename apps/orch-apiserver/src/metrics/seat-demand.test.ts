import { expect, test } from "vitest";
import { SeatDemand } from "./seat-demand.ts";

test.each([
  ["an even demand", [2, 2], { mean: 2, deviation: 0, highest: 2, smoothed: 2 }],
  ["an uneven one", [0, 4], { mean: 2, deviation: 2, highest: 4, smoothed: 4 }],
])("%s", (_, samples, want) => {
  const demand = new SeatDemand();
  for (const seats of samples) demand.add(seats);
  expect(demand.close()).toEqual(want);
});

test("a decline is followed slowly, growth at once", () => {
  const demand = new SeatDemand();
  demand.add(100);
  demand.close();
  demand.add(0);
  expect(demand.close().smoothed).toBeCloseTo(97.7);
  demand.add(200);
  expect(demand.close().smoothed).toBe(200);
});

test("samples before a level existed count as no seats", () => {
  const demand = new SeatDemand();
  demand.add(4);
  expect(demand.close(2)).toMatchObject({ mean: 2, highest: 4 });
});
