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
import { fieldTracker, type TrackedObject } from "./field-tracker.ts";

/** Fixtures for the tests of ownership: a kind with fields of all types. */
const Port = message("t", "Port", () => ({
  number: required(1, int32),
  protocol: optional(2, string, { default: "TCP" }),
  name: optional(3, string),
}));
const Id = message("t", "Id", () => ({ id: optional(1, string), note: optional(2, string) }));
const Unit = message("t", "Unit", () => ({ a: optional(1, string), b: optional(2, string) }), { atomic: true });
/** The spec of the kind in the tests: a field for each merge strategy. */
export const Spec = message("t", "Spec", () => ({
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
  ids: optional(13, list(Id), { list: "map", keys: ["id"] }),
}));
/** The kind in the tests. */
export const Thing = object("t", "Thing", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, Spec),
  status: value(
    3,
    message("t", "ThingStatus", () => ({ phase: optional(1, string) })),
  ),
}));
/** A tracker of the ownership of its fields. */
export const tracker = fieldTracker({ schema: Thing, apiVersion: "t/v1", kind: "Thing" });

/** A writer at a fixed time, plus `second` seconds. */
export const by = (manager: string, second = 0, more: object = {}) => ({
  manager,
  subresource: "",
  time: `2023-04-11T00:00:${String(second).padStart(2, "0")}Z`,
  ...more,
});
/** An object of the kind, as it is stored. */
export const thing = (spec: object, managedFields?: unknown): TrackedObject =>
  canonicalize(Thing, { metadata: { name: "a", managedFields }, spec }) as unknown as TrackedObject;
/** A configuration that a client applies. */
export const patch = (spec: object, metadata: object = {}) => ({
  apiVersion: "t/v1",
  kind: "Thing",
  metadata: { name: "a", ...metadata },
  spec,
});
/** The `managedFields` of an object, or undefined without any. */
export type Entries = ReturnType<typeof tracker.updated>;
/** The entries as text, for comparison in tests. */
export const shown = (entries: Entries): readonly string[] =>
  (entries ?? []).map(
    ({ manager, operation, subresource, fieldsV1 }) =>
      `${manager} ${operation}${subresource === undefined ? "" : ` ${subresource}`} ${JSON.stringify(fieldsV1)}`,
  );
/** The set of a writer's spec fields, as text. */
export const specOf = (entries: Entries, manager: string): string | undefined => {
  const found = (entries ?? []).find((entry) => entry.manager === manager)?.fieldsV1;
  return found === undefined ? undefined : JSON.stringify(found["f:spec"] ?? {});
};
