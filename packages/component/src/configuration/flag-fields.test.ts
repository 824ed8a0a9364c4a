import { expect, test } from "vitest";
import { flagSection } from "../flags/flag.ts";
import { type FileState, fieldValue, flagFieldsOf } from "./flag-fields.ts";

const table = flagSection("x", {
  "new-name": { type: "string", default: "a", help: "x", field: "name" },
  "old-name": { type: "string", default: "a", help: "x", field: "name", fieldApplies: "without-file" },
  qps: { type: "float", default: 1, help: "x", field: "qps", fieldApplies: "without-file" },
  port: { type: "int", default: 1, help: "x", field: "port" },
  other: { type: "string", default: "", help: "x" },
});

test.each<[string, FileState, readonly string[], Readonly<Record<string, string>>]>([
  ["no file", "None", [], { name: "new-name", qps: "qps", port: "port" }],
  ["no file, the second flag of a field", "None", ["old-name"], { name: "old-name", qps: "qps", port: "port" }],
  ["no file, both flags of a field", "None", ["old-name", "new-name"], { name: "new-name", qps: "qps", port: "port" }],
  ["a file", "Read", [], {}],
  ["a file, and flags that it overrides", "Read", ["old-name", "qps"], {}],
  ["a file, and flags that override it", "Read", ["new-name", "port", "other"], { name: "new-name", port: "port" }],
  ["a file that cannot be read", "Lost", ["qps"], { qps: "qps" }],
])("the flags that set fields: %s", (_, file, explicit, want) => {
  expect(Object.fromEntries(flagFieldsOf({ table, explicit: new Set(explicit) }, file))).toEqual(want);
});

test("only the named defaults apply", () => {
  const fields = (explicit: readonly string[]) =>
    flagFieldsOf({ table, explicit: new Set(explicit), ownDefaults: new Set(["port"]) }, "None");
  expect(Object.fromEntries(fields([]))).toEqual({ port: "port" });
  expect(Object.fromEntries(fields(["qps"]))).toEqual({ qps: "qps", port: "port" });
});

test.each([
  [{ type: "duration", help: "x" } as const, 1500, "1.5s"],
  [{ type: "stringToString", help: "x" } as const, new Map([["a", "b"]]), { a: "b" }],
  [{ type: "strings", help: "x", toField: (items: readonly string[]) => items.join("+") } as const, ["a", "b"], "a+b"],
  [{ type: "int", help: "x" } as const, 3, 3],
])("%o writes %o as %o", (flag, value, want) => {
  expect(fieldValue(flag, value)).toEqual(want);
});
