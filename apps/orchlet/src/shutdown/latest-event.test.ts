import { expect, test } from "vitest";
import { LatestEvent } from "./latest-event.ts";

test("events are handled one after the other, and of many waiting events only the last one", async () => {
  const seen: number[] = [];
  let release: () => void = () => undefined;
  const events = new LatestEvent<number>(async (event) => {
    seen.push(event);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  for (let event = 0; event < 100_000; event++) events.put(event);
  expect(seen).toEqual([0]);
  const handled = events.handled();
  release();
  await expect.poll(() => seen).toEqual([0, 99_999]);
  events.put(99_999);
  release();
  await handled;
  expect(seen).toEqual([0, 99_999]);
});

test("an event that arrives after others were handled is handled, too", async () => {
  const seen: boolean[] = [];
  const events = new LatestEvent<boolean>(async (event) => void seen.push(event));
  for (const event of [true, false, true]) {
    events.put(event);
    await events.handled();
  }
  expect(seen).toEqual([true, false, true]);
});
