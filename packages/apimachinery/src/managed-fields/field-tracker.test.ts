import { describe, expect, test } from "vitest";
import { canonicalize } from "../codec/decoder.ts";
import { ObjectMeta } from "../resource/object-meta.ts";
import {
  bool,
  int32,
  json,
  list,
  mapOf,
  message,
  object,
  optional,
  pointer,
  quantity,
  required,
  string,
  value,
} from "../schema/index.ts";
import { ApiError } from "../status/api-error.ts";
import { maxUpdateManagers } from "./cap-managers.ts";
import { pathSet } from "./field-set.ts";
import { fieldTracker, type TrackedObject } from "./field-tracker.ts";

const Port = message("t", "Port", () => ({
  number: required(1, int32),
  protocol: optional(2, string, { default: "TCP" }),
  name: optional(3, string),
}));
const Unit = message("t", "Unit", () => ({ a: optional(1, string), b: optional(2, string) }), { atomic: true });
const Spec = message("t", "Spec", () => ({
  size: pointer(1, int32),
  ports: optional(2, list(Port), { list: "map", keys: ["number", "protocol"] }),
  tags: optional(3, list(string), { list: "set" }),
  args: optional(4, list(string)),
  labels: optional(5, mapOf(string)),
  units: optional(6, mapOf(Unit)),
  selector: optional(7, mapOf(string), { atomic: true }),
  unit: pointer(8, Unit),
  loose: pointer(9, Unit, { atomic: false }),
  limit: pointer(10, quantity),
  any: optional(11, json),
  on: optional(12, bool),
}));
const Thing = object("t", "Thing", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, Spec),
  status: value(
    3,
    message("t", "ThingStatus", () => ({ phase: optional(1, string) })),
  ),
}));
const tracker = fieldTracker({ schema: Thing, apiVersion: "t/v1", kind: "Thing" });

const by = (manager: string, second = 0, more: object = {}) => ({
  manager,
  subresource: "",
  time: `2023-04-11T00:00:${String(second).padStart(2, "0")}Z`,
  ...more,
});
const thing = (spec: object, managedFields?: unknown): TrackedObject =>
  canonicalize(Thing, { metadata: { name: "a", managedFields }, spec }) as unknown as TrackedObject;
const patch = (spec: object, metadata: object = {}) => ({
  apiVersion: "t/v1",
  kind: "Thing",
  metadata: { name: "a", ...metadata },
  spec,
});
type Entries = ReturnType<typeof tracker.updated>;
const shown = (entries: Entries): readonly string[] =>
  (entries ?? []).map(
    ({ manager, operation, subresource, fieldsV1 }) =>
      `${manager} ${operation}${subresource === undefined ? "" : ` ${subresource}`} ${JSON.stringify(fieldsV1)}`,
  );
/** The set of a writer's spec fields, as text. */
const specOf = (entries: Entries, manager: string): string | undefined => {
  const found = (entries ?? []).find((entry) => entry.manager === manager)?.fieldsV1;
  return found === undefined ? undefined : JSON.stringify(found["f:spec"] ?? {});
};

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

  test("metadata that names the object or is the server's belongs to nobody", () => {
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

  test("what the endpoint resets belongs to nobody", () => {
    const object = canonicalize(Thing, { spec: { size: 1 }, status: { phase: "x" } }) as unknown as TrackedObject;
    const main = by("one", 0, { reset: pathSet("f:status") });
    expect(shown(tracker.updated(undefined, object, main))).toEqual(['one Update {"f:spec":{"f:size":{}}}']);
  });

  test("a custom resource's applier owns its structs, too", () => {
    const Inner = { ...Spec, ownedAsItem: true };
    const Custom = object("t", "Custom", () => ({ metadata: value(1, ObjectMeta), spec: pointer(2, Inner) }));
    const custom = fieldTracker({ schema: Custom, apiVersion: "t/v1", kind: "Custom" });
    const body = { apiVersion: "t/v1", kind: "Custom", metadata: { name: "a" }, spec: { size: 1 } };
    expect(shown(custom.applied(undefined, body, by("one"), false).managedFields)).toEqual([
      'one Apply {"f:spec":{".":{},"f:size":{}}}',
    ]);
  });
});

describe("updates", () => {
  const made = (spec: object) => thing(spec, tracker.updated(undefined, thing(spec), by("maker", 1)));
  const updated = (before: TrackedObject, spec: object, manager: string, second = 2) =>
    tracker.updated(before, thing(spec, entriesOf(before)), by(manager, second));
  const entriesOf = (one: TrackedObject) => (one.metadata as { managedFields?: unknown }).managedFields;

  test.each([
    ["a changed field moves", { size: 1, on: true }, { size: 2, on: true }, '{"f:on":{}}', '{"f:size":{}}'],
    ["a removed field is nobody's", { size: 1, on: true }, { on: true }, '{"f:on":{}}', undefined],
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

  test("times move only with what a manager changes", () => {
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
    // Through a subresource nobody takes them over.
    expect(names(tracker.updated(before, after, by("client", 1, { subresource: "status" })))).toEqual(["maker"]);
  });

  test("an object that nobody manages stays so", () => {
    expect(tracker.updated(thing({ size: 1 }), thing({ size: 2 }), by("writer"))).toBeUndefined();
  });

  test("old updaters are folded together, appliers never", () => {
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
});

describe("apply", () => {
  /** Applies configurations of one manager after another; the last one's result. */
  const applyAll = (...steps: readonly (readonly [manager: string, spec: object])[]) => {
    let live: TrackedObject | undefined;
    for (const [manager, spec] of steps) {
      const result = tracker.applied(live, patch(spec), by(manager), false);
      const { metadata } = result.object as { metadata: object };
      live = canonicalize(Thing, {
        ...result.object,
        metadata: { ...metadata, managedFields: result.managedFields },
      }) as unknown as TrackedObject;
    }
    return live as unknown as { spec: object; metadata: { managedFields: Entries } };
  };

  test.each([
    [
      "a field left out goes",
      [
        ["one", { size: 1, on: true }],
        ["one", { size: 1 }],
      ],
      { size: 1 },
    ],
    [
      "one that another owns stays",
      [
        ["one", { size: 1 }],
        ["two", { size: 1 }],
        ["one", {}],
      ],
      { size: 1 },
    ],
    [
      "the last owner takes it along",
      [
        ["one", { size: 1 }],
        ["two", { size: 1 }],
        ["one", {}],
        ["two", {}],
      ],
      {},
    ],
    [
      "maps merge",
      [
        ["one", { labels: { a: "1", b: "1" } }],
        ["two", { labels: { c: "1" } }],
        ["one", { labels: { a: "1" } }],
      ],
      { labels: { a: "1", c: "1" } },
    ],
    [
      "sets merge",
      [
        ["one", { tags: ["a", "b"] }],
        ["two", { tags: ["c", "a"] }],
        ["one", {}],
      ],
      { tags: ["c", "a"] },
    ],
    [
      "keyed lists merge item by item",
      [
        ["one", { ports: [{ number: 1, name: "x" }, { number: 2 }] }],
        ["two", { ports: [{ number: 1, protocol: "TCP" }, { number: 3 }] }],
        ["one", { ports: [{ number: 2 }] }],
      ],
      { ports: [{ number: 1, protocol: "TCP" }, { number: 2 }, { number: 3 }] },
    ],
    [
      "an item nobody owns any more goes with all in it",
      [
        ["one", { ports: [{ number: 1, name: "x" }, { number: 2 }] }],
        ["one", { ports: [{ number: 2 }] }],
      ],
      { ports: [{ number: 2 }] },
    ],
    [
      "a null takes a scalar away",
      [
        ["one", { size: 1, on: true }],
        ["one", { size: null, on: true }],
      ],
      { on: true },
    ],
    [
      "a null leaves a map be",
      [
        ["one", { labels: { a: "1" } }],
        ["two", { labels: null }],
      ],
      { labels: { a: "1" } },
    ],
    [
      "quantities compare by value",
      [
        ["one", { limit: "1000m" }],
        ["two", { limit: "1" }],
      ],
      { limit: "1" },
    ],
    [
      "any JSON merges",
      [
        ["one", { any: { a: 1 } }],
        ["two", { any: { b: [1] } }],
      ],
      { any: { a: 1, b: [1] } },
    ],
  ] as const)("%s", (_name, steps, want) => {
    expect(applyAll(...steps).spec).toEqual(want);
  });

  test("applying the same again changes neither owners nor times", () => {
    const once = applyAll(["one", { size: 1 }]);
    const again = tracker.applied(once as unknown as TrackedObject, patch({ size: 1 }), by("one", 9), false);
    expect(again.managedFields).toEqual(once.metadata.managedFields);
  });

  test.each([
    [
      "one field of an updater",
      { size: 2 },
      'Apply failed with 1 conflict: conflict with "maker" using t/v1: .spec.size',
      [".spec.size"],
    ],
    [
      "fields of several",
      { size: 2, labels: { b: "9", a: "9" }, ports: [{ number: 1, name: "n" }] },
      'Apply failed with 4 conflicts: conflicts with "first":\n- .spec.labels.a\n- .spec.labels.b\n- .spec.ports[number=1,protocol="TCP"].name\nconflicts with "maker" using t/v1:\n- .spec.size',
      [".spec.labels.a", ".spec.labels.b", '.spec.ports[number=1,protocol="TCP"].name', ".spec.size"],
    ],
  ])("conflicts over %s", (_name, spec, message, fields) => {
    const applied = applyAll(["first", { labels: { a: "1", b: "1" }, ports: [{ number: 1, name: "x" }] }]);
    const rest = { ...applied.spec, size: 1 };
    const live = thing(rest, applied.metadata.managedFields);
    const entries = tracker.updated(thing(applied.spec, applied.metadata.managedFields), live, by("maker"));
    const attempt = (force: boolean) => tracker.applied(thing(rest, entries), patch(spec), by("late"), force);
    try {
      attempt(false);
      expect.unreachable("the apply was not refused");
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      const { status } = error as ApiError;
      expect(status.message).toBe(message);
      expect(status.code).toBe(409);
      expect(status.details?.causes?.map(({ field }) => field)).toEqual(fields);
    }
    expect(attempt(true).managedFields?.map(({ manager }) => manager)).toContain("late");
    expect(specOf(attempt(true).managedFields, "maker")).toBeUndefined();
  });

  test.each([
    ["no object", [], "must be an object"],
    ["another kind", { apiVersion: "t/v1", kind: "Other" }, "invalid object type: t/v1, Kind=Other"],
    ["another version", { apiVersion: "v1", kind: "Thing" }, "invalid object type: /v1, Kind=Thing"],
    ["managers", patch({}, { managedFields: [] }), "metadata.managedFields must be nil"],
    [
      "an unknown field",
      patch({ nope: 1 }),
      "failed to create typed patch object (/a; t/v1, Kind=Thing): .spec.nope: field not declared in schema",
    ],
    [
      "an unknown field of a list item",
      patch({ ports: [{ number: 1, x: 1 }] }),
      '.spec.ports[number=1,protocol="TCP"].x: field not declared in schema',
    ],
    ["an unknown field of an atomic struct", patch({ unit: { x: 1 } }), ".spec.unit"],
    ["a list for a map", patch({ labels: [] }), ".spec.labels: expected map, got []"],
    ["a map for a list", patch({ ports: {} }), ".spec.ports: expected list, got {}"],
    ["a number for text", patch({ labels: { a: 1 } }), ".spec.labels.a: expected string, got 1"],
    [
      "the same keys twice",
      patch({ ports: [{ number: 1 }, { number: 1, protocol: "TCP" }] }),
      '.spec.ports: duplicate entries for key [number=1,protocol="TCP"]',
    ],
    ["the same value twice", patch({ tags: ["a", "a"] }), '.spec.tags: duplicate entries for key [="a"]'],
    [
      "a null item",
      patch({ ports: [null] }),
      ".spec.ports: element 0: associative list with keys may not have non-map elements",
    ],
    ["a null in a set", patch({ tags: [null] }), ".spec.tags: element 0"],
    [
      "owner references without a key",
      patch({}, { ownerReferences: [{ name: "x" }] }),
      '.metadata.ownerReferences: element 0: associative list with keys has an element that omits all key fields ["uid"]',
    ],
  ])("a patch with %s is refused", (_name, body, message) => {
    const attempt = () => tracker.applied(undefined, body, by("one"), false);
    expect(attempt).toThrow(ApiError);
    expect(attempt).toThrow(message);
  });

  test("what was there before anyone managed it has a name of its own", () => {
    const { managedFields } = tracker.applied(thing({ size: 1, on: true }), patch({ size: 1 }), by("one"), false);
    expect(shown(managedFields)).toEqual([
      'one Apply {"f:spec":{"f:size":{}}}',
      'before-first-apply Update {"f:spec":{"f:on":{},"f:size":{}}}',
    ]);
  });
});

describe("other versions", () => {
  const Old = object("t", "OldThing", () => ({ metadata: value(1, ObjectMeta), count: pointer(2, int32) }));
  const versions = fieldTracker({
    schema: Thing,
    apiVersion: "t/v1",
    kind: "Thing",
    version: (apiVersion) =>
      apiVersion === "t/v0"
        ? { schema: Old, convert: (one) => ({ count: (one.spec as { size?: number }).size }) }
        : undefined,
  });
  const entry = (apiVersion: string, fieldsV1: object) => ({
    manager: "old",
    operation: "Apply",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1,
  });

  test("fields are compared in the version their manager speaks", () => {
    const live = thing({ size: 1 }, [entry("t/v0", { "f:count": {} })]);
    expect(() => versions.applied(live, patch({ size: 2 }), by("new"), false)).toThrow('conflict with "old": .count');
    const forced = versions.applied(live, patch({ size: 2 }), by("new"), true);
    expect(shown(forced.managedFields)).toEqual(['new Apply {"f:spec":{"f:size":{}}}']);
  });

  test("managers of versions that nobody knows are dropped", () => {
    const live = thing({ size: 1 }, [entry("t/v9", { "f:x": {} })]);
    expect(shown(versions.applied(live, patch({ on: true }), by("new"), false).managedFields)).toEqual([
      'new Apply {"f:spec":{"f:on":{}}}',
    ]);
  });
});

describe("moving from client-side to server-side apply", () => {
  const annotation = "orchctl.orchernetes.io/last-applied-configuration";
  const live = (size: number) => {
    const metadata = { name: "a", annotations: { [annotation]: JSON.stringify(patch({ size: 1 })) } };
    const object = canonicalize(Thing, { metadata, spec: { size } }) as unknown as TrackedObject;
    const managedFields = tracker.updated(undefined, object, by("orchctl-client-side-apply"));
    return { ...object, metadata: { ...metadata, managedFields } };
  };

  test.each([
    ["the command line client takes back what it put there", "orchctl", 1, undefined],
    ["not what others changed since", "orchctl", 5, ".spec.size"],
    ["other managers may not", "someone", 1, ".spec.size"],
  ])("%s", (_name, manager, size, conflict) => {
    const attempt = () => tracker.applied(live(size), patch({ size: 2 }), by(manager), false);
    if (conflict !== undefined) {
      expect(attempt).toThrow(conflict);
      return;
    }
    const { object } = attempt() as unknown as { object: { metadata: { annotations: Record<string, string> } } };
    expect(object.metadata.annotations[annotation]).toBe(
      '{"apiVersion":"t/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"size":2}}\n',
    );
  });
});
