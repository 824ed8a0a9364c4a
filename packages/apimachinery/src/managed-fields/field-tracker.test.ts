import { describe, expect, test } from "vitest";
import { canonicalize } from "../codec/decoder.ts";
import { ObjectMeta } from "../resource/object-meta.ts";
import { object, pointer, value } from "../schema/index.ts";
import { maxUpdateManagers } from "./cap-managers.ts";
import { pathSet } from "./field-set.ts";
import { fieldTracker, type TrackedObject } from "./field-tracker.ts";
import { by, type Entries, patch, Spec, shown, specOf, Thing, thing, tracker } from "./thing.fixture.ts";

describe("what creators and appliers own", () => {
  test.each([
    ["a scalar", { size: 1 }, '{"f:size":{}}', '{"f:size":{}}'],
    [
      "a map",
      { labels: { b: "1", a: "2" } },
      '{"f:labels":{".":{},"f:a":{},"f:b":{}}}',
      '{"f:labels":{"f:a":{},"f:b":{}}}',
    ],
    ["an atomic map", { selector: { a: "1" } }, '{"f:selector":{}}', '{"f:selector":{}}'],
    ["an atomic list", { args: ["a"] }, '{"f:args":{}}', '{"f:args":{}}'],
    [
      "a set",
      { tags: ["b", "a"] },
      '{"f:tags":{".":{},"v:\\"a\\"":{},"v:\\"b\\"":{}}}',
      '{"f:tags":{"v:\\"a\\"":{},"v:\\"b\\"":{}}}',
    ],
    [
      "items by keys, absent ones by their defaults, in the order of numbers",
      { ports: [{ number: 443 }, { number: 80, protocol: "UDP" }] },
      '{"f:ports":{".":{},"k:{\\"number\\":80,\\"protocol\\":\\"UDP\\"}":{".":{},"f:number":{},"f:protocol":{}},"k:{\\"number\\":443,\\"protocol\\":\\"TCP\\"}":{".":{},"f:number":{}}}}',
      '{"f:ports":{"k:{\\"number\\":80,\\"protocol\\":\\"UDP\\"}":{".":{},"f:number":{},"f:protocol":{}},"k:{\\"number\\":443,\\"protocol\\":\\"TCP\\"}":{".":{},"f:number":{}}}}',
    ],
    ["an atomic struct", { unit: { a: "1" } }, '{"f:unit":{}}', '{"f:unit":{}}'],
    ["one that a field opens", { loose: { a: "1" } }, '{"f:loose":{".":{},"f:a":{}}}', '{"f:loose":{"f:a":{}}}'],
    ["atomic map values", { units: { x: { a: "1" } } }, '{"f:units":{".":{},"f:x":{}}}', '{"f:units":{"f:x":{}}}'],
    [
      "any JSON",
      { any: { a: { b: [1] }, c: {} } },
      '{"f:any":{".":{},"f:a":{".":{},"f:b":{}},"f:c":{}}}',
      '{"f:any":{"f:a":{".":{},"f:b":{}},"f:c":{}}}',
    ],
    [
      "a key like __proto__",
      { labels: JSON.parse('{"__proto__":"1"}') },
      '{"f:labels":{".":{},"f:__proto__":{}}}',
      '{"f:labels":{"f:__proto__":{}}}',
    ],
  ])("%s", (_name, spec, created, applied) => {
    const entries = tracker.updated(undefined, thing(spec), by("one"));
    expect(specOf(entries, "one")).toBe(created);
    expect(specOf(tracker.applied(undefined, patch(spec), by("one"), false).managedFields, "one")).toBe(applied);
  });

  test("metadata that identifies the object or is set by the server has no owner", () => {
    const metadata = {
      name: "a",
      namespace: "n",
      uid: "u",
      resourceVersion: "1",
      generation: 2,
      creationTimestamp: "2023-01-01T00:00:00Z",
      generateName: "a-",
      annotations: { x: "y" },
    };
    const object = canonicalize(Thing, { kind: "Thing", apiVersion: "t/v1", metadata }) as unknown as TrackedObject;
    expect(shown(tracker.updated(undefined, object, by("one")))).toEqual([
      'one Update {"f:metadata":{"f:annotations":{".":{},"f:x":{}},"f:generateName":{}}}',
    ]);
  });

  test("fields that the endpoint resets have no owner", () => {
    const object = canonicalize(Thing, { spec: { size: 1 }, status: { phase: "x" } }) as unknown as TrackedObject;
    const main = by("one", 0, { reset: pathSet("f:status") });
    expect(shown(tracker.updated(undefined, object, main))).toEqual(['one Update {"f:spec":{"f:size":{}}}']);
  });

  test("the applier of a custom resource owns its structs, too", () => {
    const Inner = { ...Spec, ownedAsItem: true };
    const Custom = object("t", "Custom", () => ({ metadata: value(1, ObjectMeta), spec: pointer(2, Inner) }));
    const custom = fieldTracker({ schema: Custom, apiVersion: "t/v1", kind: "Custom" });
    const body = { apiVersion: "t/v1", kind: "Custom", metadata: { name: "a" }, spec: { size: 1 } };
    expect(shown(custom.applied(undefined, body, by("one"), false).managedFields)).toEqual([
      'one Apply {"f:spec":{".":{},"f:size":{}}}',
    ]);
  });
});

describe("updating", () => {
  const made = (spec: object) => thing(spec, tracker.updated(undefined, thing(spec), by("maker", 1)));
  const updated = (before: TrackedObject, spec: object, manager: string, second = 2) =>
    tracker.updated(before, thing(spec, entriesOf(before)), by(manager, second));
  const entriesOf = (one: TrackedObject) => (one.metadata as { managedFields?: unknown }).managedFields;

  test.each([
    ["a changed field moves", { size: 1, on: true }, { size: 2, on: true }, '{"f:on":{}}', '{"f:size":{}}'],
    ["a removed field has no owner", { size: 1, on: true }, { on: true }, '{"f:on":{}}', undefined],
    ["a new field is the writer's", { size: 1 }, { size: 1, on: true }, '{"f:size":{}}', '{"f:on":{}}'],
    ["an emptied map leaves nothing", { labels: { a: "1" } }, {}, undefined, undefined],
    [
      "a map stays its maker's",
      { labels: { a: "1" } },
      { labels: { b: "1" } },
      '{"f:labels":{}}',
      '{"f:labels":{"f:b":{}}}',
    ],
    [
      "order in sets and keyed lists is nothing",
      { tags: ["a", "b"] },
      { tags: ["b", "a"] },
      '{"f:tags":{".":{},"v:\\"a\\"":{},"v:\\"b\\"":{}}}',
      undefined,
    ],
    ["order in atomic lists is a change", { args: ["a", "b"] }, { args: ["b", "a"] }, undefined, '{"f:args":{}}'],
    [
      "items with the same keys are one unit",
      {
        ports: [
          { number: 1, name: "x" },
          { number: 1, name: "y" },
        ],
      },
      {
        ports: [
          { number: 1, name: "x" },
          { number: 1, name: "z" },
        ],
      },
      '{"f:ports":{}}',
      '{"f:ports":{"k:{\\"number\\":1,\\"protocol\\":\\"TCP\\"}":{}}}',
    ],
    [
      "a JSON value that turns into another kind of value",
      { any: { a: { b: 1 } } },
      { any: { a: [1] } },
      '{"f:any":{}}',
      '{"f:any":{"f:a":{}}}',
    ],
  ])("%s", (_name, before, after, maker, writer) => {
    const entries = updated(made(before), after, "writer");
    expect(specOf(entries, "maker")).toBe(maker);
    expect(specOf(entries, "writer")).toBe(writer);
  });

  test("a manager's time changes only when its fields change", () => {
    const first = made({ size: 1, on: true });
    const times = (entries: Entries) => (entries ?? []).map(({ manager, time }) => `${manager} ${time?.slice(17, 19)}`);
    expect(times(updated(first, { size: 1, on: true }, "maker", 5))).toEqual(["maker 01"]);
    expect(times(updated(first, { size: 2, on: true }, "maker", 5))).toEqual(["maker 05"]);
    expect(times(updated(first, { on: true }, "maker", 5))).toEqual(["maker 01"]);
    expect(times(updated(first, { size: 2, on: true }, "writer", 5))).toEqual(["maker 01", "writer 05"]);
  });

  test.each([
    ["absent", undefined, ["maker"]],
    ["an empty list", [], []],
    ["one empty entry", [{}], []],
    ["garbage", [{ manager: "evil", operation: "Own", apiVersion: "t/v1", fieldsType: "FieldsV1" }], ["maker"]],
    [
      "no tree",
      [{ manager: "evil", operation: "Update", apiVersion: "t/v1", fieldsType: "FieldsV1", fieldsV1: { "f:spec": 1 } }],
      ["maker"],
    ],
    ["another type", [{ manager: "evil", operation: "Update", apiVersion: "t/v1", fieldsType: "V2" }], ["maker"]],
    [
      "entries of its own",
      [
        {
          manager: "new",
          operation: "Apply",
          apiVersion: "t/v1",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": { "f:size": {} } },
        },
      ],
      ["new"],
    ],
  ])("a client sends %s", (_name, sent, want) => {
    const before = made({ size: 1 });
    const after = { ...before, metadata: { name: "a", managedFields: sent } };
    const names = (entries: Entries) => (entries ?? []).map(({ manager }) => manager);
    expect(names(tracker.updated(before, after, by("client")))).toEqual(want);
    // Managed fields are not taken over through a subresource.
    expect(names(tracker.updated(before, after, by("client", 1, { subresource: "status" })))).toEqual(["maker"]);
  });

  test("an object without managers keeps none", () => {
    expect(tracker.updated(thing({ size: 1 }), thing({ size: 2 }), by("writer"))).toBeUndefined();
  });

  test("entries of old updaters are merged, those of appliers never", () => {
    let labels: Record<string, string> = {};
    let object = thing({ size: 1 }, tracker.applied(undefined, patch({ size: 1 }), by("applier"), false).managedFields);
    for (let i = 0; i < maxUpdateManagers + 3; i++) {
      labels = { ...labels, [`l${String(i).padStart(2, "0")}`]: "x" };
      object = thing({ size: 1, labels }, updated(object, { size: 1, labels }, `m${i}`, i));
    }
    const entries = entriesOf(object) as NonNullable<Entries>;
    expect(entries.map(({ manager }) => manager)).toEqual([
      "applier",
      "ancient-changes",
      ...Array.from({ length: maxUpdateManagers - 1 }, (_, i) => `m${i + 4}`),
    ]);
    expect(specOf(entries, "ancient-changes")).toBe(
      '{"f:labels":{".":{},"f:l00":{},"f:l01":{},"f:l02":{},"f:l03":{}}}',
    );
  });

  test("applying beside thousands of other managers takes linear time", () => {
    const sent = ["z", ...Array.from({ length: 5000 }, (_, i) => `m${i}`)].map((manager) => ({
      manager,
      operation: "Apply",
      apiVersion: "t/v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:labels": { [`f:${manager}`]: {} } } },
    }));
    const live = thing({ labels: { z: "1", m1: "1" } }, sent);
    const started = process.cpuUsage();
    const { object } = tracker.applied(live, patch({ labels: { y: "1" } }), by("z"), true);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1500);
    expect(object.spec).toMatchObject({ labels: { m1: "1", y: "1" } });
    expect(object.spec).not.toHaveProperty("labels.z");
  }, 120_000);

  test("thousands of entries that a client sends are merged in linear time", () => {
    const sent = Array.from({ length: 8000 }, (_, i) => ({
      manager: `m${String(i).padStart(4, "0")}`,
      operation: "Update",
      apiVersion: "t/v1",
      time: "2020-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:labels": { [`f:l${i}`]: {} } } },
    }));
    const started = process.cpuUsage();
    const entries = tracker.updated(undefined, thing({ size: 1 }, sent), by("creator"));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1500);
    expect(entries?.length).toBe(maxUpdateManagers);
    const folded = entries?.find(({ manager }) => manager === "ancient-changes")?.fieldsV1 as {
      "f:spec": { "f:labels": object };
    };
    expect(Object.keys(folded["f:spec"]["f:labels"])).toHaveLength(8000 - maxUpdateManagers + 2);
  }, 120_000);
});
