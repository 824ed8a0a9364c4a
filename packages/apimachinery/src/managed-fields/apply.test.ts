import { describe, expect, test } from "vitest";
import { canonicalize } from "../codec/decoder.ts";
import { ObjectMeta } from "../resource/object-meta.ts";
import { int32, object, pointer, value } from "../schema/index.ts";
import { ApiError } from "../status/api-error.ts";
import { fieldTracker, type TrackedObject } from "./field-tracker.ts";
import { by, type Entries, patch, shown, specOf, Thing, thing, tracker } from "./thing.fixture.ts";

describe("applying", () => {
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
      "it is removed with its last owner",
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
      "an item that has no owner any more is removed with its content",
      [
        ["one", { ports: [{ number: 1, name: "x" }, { number: 2 }] }],
        ["one", { ports: [{ number: 2 }] }],
      ],
      { ports: [{ number: 2 }] },
    ],
    [
      "a null removes a scalar",
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

  test("applying the same configuration again changes neither owners nor times", () => {
    const once = applyAll(["one", { size: 1 }]);
    const again = tracker.applied(once as unknown as TrackedObject, patch({ size: 1 }), by("one", 9), false);
    expect(again.managedFields).toEqual(once.metadata.managedFields);
  });

  test("an item whose key is empty is found again, though its key is not stored", () => {
    const spec = { ids: [{ id: "", note: "a" }] };
    const once = applyAll(["one", spec]);
    expect(once.spec).toEqual({ ids: [{ note: "a" }] });
    expect(applyAll(["one", spec], ["one", spec]).spec).toEqual(once.spec);
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

  test("fields from before the first manager belong to a manager of their own", () => {
    const { managedFields } = tracker.applied(thing({ size: 1, on: true }), patch({ size: 1 }), by("one"), false);
    expect(shown(managedFields)).toEqual([
      'one Apply {"f:spec":{"f:size":{}}}',
      'before-first-apply Update {"f:spec":{"f:on":{},"f:size":{}}}',
    ]);
  });
});

describe("managers of other versions", () => {
  const Old = object("t", "OldThing", () => ({ metadata: value(1, ObjectMeta), count: pointer(2, int32) }));
  const versions = fieldTracker({
    schema: Thing,
    apiVersion: "t/v1",
    kind: "Thing",
    version: (apiVersion) =>
      apiVersion === "t/v0"
        ? {
            schema: Old,
            convert: (one) => ({ count: (one.spec as { size?: number }).size }),
            restore: ({ count }) => thing(count === undefined ? {} : { size: count }),
          }
        : undefined,
  });
  const entry = (apiVersion: string, fieldsV1: object) => ({
    manager: "old",
    operation: "Apply",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1,
  });

  test("fields are compared in the version of their manager", () => {
    const live = thing({ size: 1 }, [entry("t/v0", { "f:count": {} })]);
    expect(() => versions.applied(live, patch({ size: 2 }), by("new"), false)).toThrow('conflict with "old": .count');
    const forced = versions.applied(live, patch({ size: 2 }), by("new"), true);
    expect(shown(forced.managedFields)).toEqual(['new Apply {"f:spec":{"f:size":{}}}']);
  });

  test("a manager that applied at another version gives up the fields that it omits at this one", () => {
    const live = thing({ size: 1, on: true }, [entry("t/v0", { "f:count": {} })]);
    const { object, managedFields } = versions.applied(live, patch({ tags: ["a"] }), by("old"), false);
    expect(object.spec).toEqual({ on: true, tags: ["a"] });
    expect(shown(managedFields)).toEqual(['old Apply {"f:spec":{"f:tags":{"v:\\"a\\"":{}}}}']);
  });

  test("fields that others own at another version stay", () => {
    const mine = { ...entry("t/v1", { "f:spec": { "f:size": {}, "f:on": {} } }), manager: "mine" };
    const live = thing({ size: 1, on: true }, [entry("t/v0", { "f:count": {} }), mine]);
    expect(versions.applied(live, patch({}), by("mine"), false).object.spec).toEqual({ size: 1 });
  });

  test("nothing is removed when the version that was applied before is unknown", () => {
    const live = thing({ size: 1, on: true }, [entry("t/v9", { "f:spec": { "f:size": {} } })]);
    expect(versions.applied(live, patch({}), by("old"), false).object.spec).toEqual({ size: 1, on: true });
  });

  test("managers of unknown versions are dropped", () => {
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
    ["the command line client takes over the fields that it set", "orchctl", 1, undefined],
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
