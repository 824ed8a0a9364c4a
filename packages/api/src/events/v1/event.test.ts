import { expect, test } from "vitest";
import { create, merged, row, update } from "../../../test/support.ts";
import { events as coreEvents } from "../../core/v1/event.ts";
import { fromStoredEvent, toStoredEvent } from "./conversion.ts";
import { events } from "./event.ts";

const fresh = {
  metadata: { name: "e", namespace: "ns" },
  eventTime: "2020-01-01T00:00:00.000000Z",
  reportingController: "a.b/c",
  reportingInstance: "i",
  action: "A",
  reason: "R",
  note: "text",
  type: "Normal",
  regarding: { kind: "Pod", name: "p", namespace: "ns" },
};
const legacy = {
  metadata: { name: "e", namespace: "ns" },
  involvedObject: { kind: "Pod", name: "p", namespace: "ns" },
  reason: "R",
  message: " text\n",
  source: { component: "c", host: "h" },
  firstTimestamp: "2025-12-31T23:00:00Z",
  lastTimestamp: "2025-12-31T23:59:00Z",
  count: 3,
  type: "Warning",
};

test("both API versions show the same event", () => {
  const { object } = create(events, fresh);
  const stored = toStoredEvent(object);
  expect(stored).toMatchObject({ message: "text", involvedObject: { name: "p" }, reportingComponent: "a.b/c" });
  expect(fromStoredEvent(stored)).toMatchObject(object);
  const { object: old } = create(coreEvents, legacy);
  expect(fromStoredEvent(old)).toMatchObject({ note: " text\n", deprecatedCount: 3, deprecatedSource: { host: "h" } });
  expect(toStoredEvent(fromStoredEvent(old))).toMatchObject(legacy);
});

test("an event is selected by the parts of its object, under the names of each version", () => {
  const of = { kind: "Pod", namespace: "ns", name: "p", uid: "", apiVersion: "", resourceVersion: "", fieldPath: "" };
  const named = (prefix: string) =>
    Object.fromEntries(Object.entries(of).map(([key, value]) => [`${prefix}.${key}`, value]));
  const { object } = create(events, fresh);
  expect(events.selectableFields?.(object)).toEqual({
    ...named("regarding"),
    reason: "R",
    reportingController: "a.b/c",
    type: "Normal",
  });
  const { object: old } = create(coreEvents, legacy);
  expect(coreEvents.selectableFields?.(old)).toEqual({
    ...named("involvedObject"),
    reason: "R",
    reportingComponent: "",
    source: "c",
    type: "Warning",
  });
});

test.each([
  [{}, []],
  [{ eventTime: null }, ["eventTime: Required value"]],
  [{ type: "Odd" }, ['type: Invalid value: "Odd": has invalid value: only Normal and Warning are supported']],
  [
    { reportingController: null },
    [
      "reportingController: Required value",
      expect.stringContaining("name part must be non-empty"),
      expect.stringContaining("name part must consist"),
    ],
  ],
  [{ action: "x".repeat(129) }, ['action: Invalid value: "": can have at most 128 characters']],
  [{ deprecatedCount: 1 }, ["deprecatedCount: Invalid value: 1: must be unset"]],
  [
    { series: { count: 1, lastObservedTime: "2020-01-01T00:00:00.000000Z" } },
    ["series.count: Invalid value: 1: should be at least 2"],
  ],
  [
    { regarding: { namespace: "other" } },
    ['regarding.namespace: Invalid value: "other": does not match event.namespace'],
  ],
])("a new event with %j", (patch, want) => {
  expect(create(events, merged(fresh, patch)).errors).toEqual(want);
});

test.each([
  [{}, []],
  [
    { involvedObject: { namespace: "" } },
    ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
  ],
  [{ involvedObject: { namespace: "" }, metadata: { namespace: "default" } }, []],
])("a new core event with %j", (patch, want) => {
  expect(create(coreEvents, merged(legacy, patch)).errors).toEqual(want);
});

test("only the series of an event can be changed", () => {
  const { object } = create(events, fresh);
  const series = { count: 2, lastObservedTime: "2020-01-02T00:00:00.000000Z" };
  expect(update(events, object, merged(object, { series })).errors).toEqual([]);
  expect(update(events, object, merged(object, { note: "other" })).errors).toEqual([
    'note: Invalid value: "other": field is immutable',
  ]);
});

test("table rows show the stored event", () => {
  const want = ["60s", "Warning", "R", "pod/p", "", "c, h", "text", "60m", 3, "e"];
  expect(row(coreEvents, legacy)).toEqual(want);
  expect(row(events, fromStoredEvent(create(coreEvents, legacy).object))).toEqual(want);
});
