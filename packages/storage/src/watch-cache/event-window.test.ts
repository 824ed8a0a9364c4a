import { describe, expect, test } from "vitest";
import { asRevision } from "../revision.ts";
import { EventWindow } from "./event-window.ts";

function fill(window: EventWindow, from: number, count: number, timeOf: (i: number) => number): void {
  for (let i = from; i < from + count; i++) {
    window.push({ revision: asRevision(i), current: undefined, previous: undefined }, timeOf(i));
  }
}

const since = (window: EventWindow, after: number) =>
  Array.from(window.since(asRevision(after)), (c) => Number(c.revision));

describe("EventWindow", () => {
  test("returns the changes after a revision, and reports how far back it is complete", () => {
    const window = new EventWindow(asRevision(10), 4);
    fill(window, 11, 3, () => 0);
    expect([window.floor, since(window, 10), since(window, 12), since(window, 13)]).toEqual([
      10,
      [11, 12, 13],
      [13],
      [],
    ]);
    fill(window, 14, 3, () => 0);
    expect([window.floor, since(window, 12)]).toEqual([12, [13, 14, 15, 16]]);
    window.reset(asRevision(20));
    expect([window.floor, since(window, 20)]).toEqual([20, []]);
  });

  test("grows while the oldest changes are recent, and shrinks when they are old", () => {
    const window = new EventWindow(asRevision(0));
    fill(window, 1, 1000, (i) => i);
    expect([window.capacity, window.floor]).toEqual([1600, 0]);
    expect([window.grown, window.shrunk]).toEqual([4, 0]);
    fill(window, 1001, 5000, (i) => 1_000_000 + i * 1000);
    expect(window.capacity).toBe(200);
    expect([window.grown, window.shrunk]).toEqual([4, 3]);
    expect(since(window, 5900)).toEqual(Array.from({ length: 100 }, (_, i) => 5901 + i));
  });

  test("never grows beyond its limit", () => {
    const window = new EventWindow(asRevision(0));
    fill(window, 1, 150_000, () => 0);
    expect([window.capacity, window.floor]).toEqual([102_400, 150_000 - 102_400]);
  });
});
