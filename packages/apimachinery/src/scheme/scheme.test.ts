import { expect, test } from "vitest";
import { customResourceCapabilities } from "../resource/capabilities.ts";
import type { ResourceDefinition } from "../resource/definition.ts";
import { listSchemaOf } from "../resource/list.ts";
import { ObjectMeta } from "../resource/object-meta.ts";
import { Scale } from "../resource/scale.ts";
import { object, value } from "../schema/index.ts";
import { Status } from "../status/status.ts";
import { createScheme } from "./scheme.ts";

const Thing = object("example/v1", "Thing", () => ({ metadata: value(1, ObjectMeta) }));
const Choice = object("example/v1", "Choice", () => ({ metadata: value(1, ObjectMeta) }));
const definition = {
  group: "x.io",
  version: "v1",
  kind: "Thing",
  plural: "things",
  schema: Thing,
  subresources: {
    status: { type: "status", verbs: [], strategy: {} },
    scale: { type: "scale" },
    choose: { type: "handler", group: "y.io", version: "v2", kind: "Choice", verbs: [], schema: Choice },
    log: { type: "handler", group: "x.io", version: "v1", kind: "Thing", verbs: [] },
    proxy: { type: "handler", group: "x.io", version: "v1", kind: "ProxyOptions", verbs: [], schema: Choice },
  },
} as unknown as ResourceDefinition;

test("a scheme has the kinds of its resources, their lists and subresources", () => {
  const scheme = createScheme([definition]);
  expect(scheme.kind("x.io/v1", "Thing")).toEqual({ apiVersion: "x.io/v1", kind: "Thing", schema: Thing });
  expect(scheme.kind("x.io/v1", "ThingList")).toMatchObject({ schema: listSchemaOf(Thing), item: Thing });
  expect(scheme.kind("y.io/v2", "Choice")?.schema).toBe(Choice);
  expect(scheme.kind("v1", "Status")?.schema).toBe(Status);
  expect(scheme.kind("x.io/v1", "Choice")).toBeUndefined();
  const served = (subresource: string) => scheme.resource("x.io", "v1", "things", subresource)?.kind;
  expect(["", "status", "scale", "choose", "log", "proxy", "other"].map(served)).toEqual([
    ...["Thing", "Thing", "Scale", "Choice"],
    ...[undefined, undefined, undefined],
  ]);
  expect(scheme.resource("x.io", "v1", "things", "scale")?.schema).toBe(Scale);
  expect(scheme.resource("x.io", "v2", "things", "")).toBeUndefined();
});

test("resources without a protobuf form and odd names are left out", () => {
  const scheme = createScheme([{ ...definition, capabilities: customResourceCapabilities }]);
  expect(scheme.kind("x.io/v1", "Thing")).toBeUndefined();
  expect(scheme.resource("x.io", "v1", "things", "")).toBeUndefined();
  expect(scheme.kind("__proto__", "constructor")).toBeUndefined();
});
