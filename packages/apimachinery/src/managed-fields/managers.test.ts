import { describe, expect, test } from "vitest";
import type { JsonObject } from "../patch/json-value.ts";
import type { ManagedFieldsEntry } from "../resource/object-meta.ts";
import { withLastApplied } from "./last-applied.ts";
import { asksReset, equalButForTimes, managerKey, readManagers, writeManagers } from "./managers.ts";

const entry = (fields: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: "m",
  operation: "Update",
  apiVersion: "v1",
  time: "2020-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:a": {} } },
  ...fields,
});
const rewritten = (...entries: readonly ManagedFieldsEntry[]) =>
  writeManagers(readManagers(entries, false) ?? new Map());
const names = (entries: readonly ManagedFieldsEntry[] | undefined) => entries?.map(({ manager }) => manager);

describe("entries of managed fields", () => {
  test("are read and written again", () => {
    expect(rewritten(entry())).toEqual([entry()]);
    expect(rewritten(entry({ subresource: "status" }))).toEqual([entry({ subresource: "status" })]);
    expect(rewritten()).toBeUndefined();
    expect(readManagers(undefined, false)?.size).toBe(0);
  });

  test("without fields are left out", () => {
    expect(rewritten(entry({ fieldsV1: {} }))).toBeUndefined();
    expect(names(rewritten(entry({ manager: "a", fieldsV1: {} }), entry({ manager: "b" })))).toEqual(["b"]);
  });

  test.each<[string, Partial<ManagedFieldsEntry>]>([
    ["an unknown operation", { operation: "Patch" }],
    ["no operation", { operation: undefined }],
    ["no version", { apiVersion: "" }],
    ["a version with two slashes", { apiVersion: "a/b/c" }],
    ["another type of fields", { fieldsType: "FieldsV2" }],
    ["no type of fields", { fieldsType: undefined }],
    ["fields that are no tree", { fieldsV1: { "f:a": 1 } as never }],
    ["fields that are a list", { fieldsV1: [] as never }],
  ])("with %s make all of them invalid", (_name, fields) => {
    expect(readManagers([entry({ manager: "other" }), entry(fields)], false)).toBeUndefined();
  });

  test("are ordered: appliers first, then the older, then by name", () => {
    const late = { time: "2021-01-01T00:00:00Z" };
    const entries = [
      entry({ manager: "d", ...late }),
      entry({ manager: "c" }),
      entry({ manager: "b" }),
      entry({ manager: "a", operation: "Apply", ...late }),
      entry({ manager: "e", time: undefined }),
    ];
    expect(names(rewritten(...entries))).toEqual(["a", "e", "b", "c", "d"]);
    expect(rewritten(...entries.toReversed())).toEqual(rewritten(...entries));
  });

  test("of an updater differ by version, those of an applier do not", () => {
    const key = (operation: "Apply" | "Update", apiVersion: string, subresource = "") =>
      managerKey({ name: "m", operation, apiVersion, subresource });
    expect(key("Update", "v1")).not.toBe(key("Update", "v2"));
    expect(key("Apply", "v1")).toBe(key("Apply", "v2"));
    expect(key("Apply", "v1")).not.toBe(key("Apply", "v1", "status"));
    expect(key("Apply", "")).not.toBe(key("Update", ""));
  });

  test("cannot take each other's identity by their names", () => {
    const key = (name: string, subresource: string) =>
      managerKey({ name, operation: "Apply", apiVersion: "v1", subresource });
    expect(key('a","Apply","","b', "")).not.toBe(key("a", 'b","Apply","","'));
    expect(key("a,b", "c")).not.toBe(key("a", "b,c"));
  });

  test.each<[boolean, readonly ManagedFieldsEntry[] | undefined]>([
    [true, []],
    [true, [{}]],
    [true, [{ manager: "", operation: undefined }]],
    [false, undefined],
    [false, [{}, {}]],
    [false, [entry()]],
    [false, [{ fieldsV1: {} }]],
  ])("a reset is asked for (%s) by %j", (want, entries) => {
    expect(asksReset(entries)).toBe(want);
  });

  test("are equal if only times and the order differ", () => {
    const [a, b] = [entry({ manager: "a" }), entry({ manager: "b" })];
    const later = entry({ manager: "a", time: "2022-01-01T00:00:00Z" });
    expect(equalButForTimes([a, b], [b, later])).toBe(true);
    expect(equalButForTimes(undefined, [])).toBe(true);
    expect(equalButForTimes([a], [b])).toBe(false);
    expect(equalButForTimes([a], [a, b])).toBe(false);
    expect(equalButForTimes([a], [entry({ manager: "a", fieldsV1: { "f:b": {} } })])).toBe(false);
  });
});

describe("the annotation of client-side apply", () => {
  const key = "orchctl.orchernetes.io/last-applied-configuration";
  const live = (annotations: object): JsonObject => ({ metadata: { name: "a", annotations } }) as JsonObject;
  const annotationsOf = (object: JsonObject) => (object.metadata as { readonly annotations: object }).annotations;

  test("holds the applied configuration, with sorted keys and without itself", () => {
    const patch = { b: 1, a: [{ d: 1, c: null }], metadata: { annotations: { [key]: "old", x: "1" } } } as JsonObject;
    expect(annotationsOf(withLastApplied(live({ [key]: "old", keep: "1" }), patch, "orchctl"))).toEqual({
      keep: "1",
      [key]: '{"a":[{"c":null,"d":1}],"b":1,"metadata":{"annotations":{"x":"1"}}}\n',
    });
  });

  test("is not added, and not written for others", () => {
    const without = live({ x: "1" });
    expect(withLastApplied(without, {}, "orchctl")).toBe(without);
    const present = live({ [key]: "old" });
    expect(withLastApplied(present, {}, "someone")).toBe(present);
    expect(withLastApplied({}, {}, "orchctl")).toEqual({});
  });

  test("is removed if all annotations would exceed 256 KiB", () => {
    const patch = (length: number) => ({ a: "x".repeat(length) }) as JsonObject;
    // The annotation consists of its key, and of {"a":"…"} with a line break.
    const room = 256 * 1024 - key.length - '{"a":""}\n'.length - "k1".length;
    const at = (length: number) =>
      Object.keys(annotationsOf(withLastApplied(live({ k: "1", [key]: "" }), patch(length), "orchctl")));
    expect(at(room)).toEqual(["k", key]);
    expect(at(room + 1)).toEqual(["k"]);
  });
});
