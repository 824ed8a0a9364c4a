import { expect, test } from "vitest";
import { createEventCorrelator } from "./event-correlator.ts";
import type { EventObject } from "./event-object.ts";

const minute = 60_000;
const at = "2024-01-01T00:00:00Z";

function event(name: string, message: string, changes: Partial<EventObject> = {}): EventObject {
  return {
    kind: "Event",
    apiVersion: "v1",
    metadata: { name, namespace: "a" },
    involvedObject: { kind: "Pod", apiVersion: "v1", namespace: "a", name: "x", uid: "u" },
    reason: "Did",
    message,
    source: { component: "test" },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    type: "Normal",
    reportingComponent: "test",
    reportingInstance: "",
    ...changes,
  };
}

test("a repetition counts on the first event and keeps its name and its first time", () => {
  const events = createEventCorrelator();
  expect(events.correlate(event("e1", "m"), 0)).toMatchObject({ type: "create", event: { metadata: { name: "e1" } } });
  const again = event("e2", "m", { firstTimestamp: "2024-01-01T00:00:09Z", lastTimestamp: "2024-01-01T00:00:09Z" });
  expect(events.correlate(again, 9000)).toMatchObject({
    type: "bump",
    name: "e1",
    event: { metadata: { name: "e1" }, count: 2, firstTimestamp: at, lastTimestamp: "2024-01-01T00:00:09Z" },
  });
});

const other = { kind: "Pod", apiVersion: "v1", namespace: "a", name: "x", uid: "u" };

test.each([
  ["message", { message: "n" }],
  ["reason", { reason: "Else" }],
  ["type", { type: "Warning" as const }],
  ["component", { source: { component: "else" } }],
  ["host", { source: { component: "test", host: "h" } }],
  ["object", { involvedObject: { ...other, name: "y" } }],
  ["object's uid", { involvedObject: { ...other, uid: "v" } }],
  ["part of the object", { involvedObject: { ...other, fieldPath: "spec.containers{c}" } }],
  ["reporting instance", { reportingInstance: "i" }],
])("an event with another %s is another event", (_, changes) => {
  const events = createEventCorrelator();
  events.correlate(event("e1", "m"), 0);
  expect(events.correlate(event("e2", "m", changes), 0).type).toBe("create");
});

test("nine different messages are nine events, and from the tenth on they are one that is counted", () => {
  const events = createEventCorrelator();
  const results = Array.from({ length: 12 }, (_, n) => events.correlate(event(`e${n}`, `m${n}`), n));
  expect(results.map(({ type }) => type)).toEqual([...Array<string>(10).fill("create"), "bump", "bump"]);
  expect(results[9]).toMatchObject({ event: { message: "(combined from similar events): m9" } });
  expect(results[11]).toMatchObject({
    name: "e9",
    event: { message: "(combined from similar events): m11", count: 3 },
  });
});

test.each([
  ["ten minutes later messages are still combined", 10 * minute, "(combined from similar events): m9"],
  ["after more than ten minutes of silence they are not", 10 * minute + 1, "m9"],
])("%s", (_, pauseMs, message) => {
  const events = createEventCorrelator();
  for (let n = 0; n < 9; n += 1) events.correlate(event(`e${n}`, `m${n}`), 0);
  expect(events.correlate(event("e9", "m9"), pauseMs)).toMatchObject({ type: "create", event: { message } });
});

test("25 events about an object pass at once, and then one every five minutes, which reports those that were dropped", () => {
  const events = createEventCorrelator();
  const types = Array.from({ length: 30 }, (_, n) => events.correlate(event(`e${n}`, "m"), 0).type);
  expect(types).toEqual(["create", ...Array<string>(24).fill("bump"), ...Array<string>(5).fill("drop")]);
  expect(events.correlate(event("f", "m"), 5 * minute - 1).type).toBe("drop");
  expect(events.correlate(event("g", "m"), 5 * minute)).toMatchObject({ type: "bump", event: { count: 32 } });
  expect(events.correlate(event("h", "m"), 5 * minute).type).toBe("drop");
  const elsewhere = event("i", "m", { involvedObject: { ...other, name: "y" } });
  expect(events.correlate(elsewhere, 5 * minute).type).toBe("create");
});

test("an allowance that nobody used does not grow beyond 25", () => {
  const events = createEventCorrelator();
  events.correlate(event("e", "m"), 0);
  const day = 24 * 60 * minute;
  const types = Array.from({ length: 26 }, (_, n) => events.correlate(event(`e${n}`, "m"), day).type);
  expect(types.filter((type) => type !== "drop")).toHaveLength(25);
});

test("after an event was stored under another name, repetitions count there and lose nothing", () => {
  const events = createEventCorrelator();
  events.correlate(event("e1", "m"), 0);
  const second = events.correlate(event("e2", "m"), 0);
  if (second.type !== "bump") throw new Error("the second event is a repetition");
  // A third one arrives while the second is being written as a new event, because the first has expired.
  events.correlate(event("e3", "m"), 0);
  events.stored({ ...second.event, metadata: { name: "e2", namespace: "a" } });
  expect(events.correlate(event("e4", "m"), 0)).toMatchObject({ type: "bump", name: "e2", event: { count: 4 } });
});
