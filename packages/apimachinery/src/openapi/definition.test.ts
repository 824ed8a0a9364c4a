import { expect, test } from "vitest";
import { LabelSelector } from "../resource/label-selector.ts";
import { ObjectMeta } from "../resource/object-meta.ts";
import * as s from "../schema/index.ts";
import { openApiDefinition, reachableMessages, referencedMessages } from "./definition.ts";
import { definitionName } from "./definition-name.ts";
import type { DocumentationSource } from "./texts.ts";

const Item = s.message("core/v1", "Item", () => ({ name: s.required(1, s.string) }));
const Thing = s.object("core/v1", "Thing", () => ({
  metadata: s.value(1, ObjectMeta),
  items: s.required(2, s.list(Item), {
    patch: "merge",
    mergeKey: "name",
    list: "map",
    keys: ["name"],
  }),
  port: s.optional(3, s.intOrString, { default: 80 }),
  limits: s.optional(4, s.mapOf(s.quantity)),
  selector: s.pointer(5, LabelSelector),
  mode: s.optional(6, s.enumeration("A", "B")),
  any: s.optional(7, s.json),
}));

test.each([
  ["core/v1", "Pod", "io.o8s.api.core.v1.Pod"],
  ["meta/v1", "ObjectMeta", "io.o8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"],
  ["apiextensions/v1", "X", "io.o8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.X"],
])("%s %s", (pkg, name, want) => {
  expect(definitionName(s.message(pkg, name, () => ({})))).toBe(want);
});

const documentation: DocumentationSource = ({ name }) =>
  name === "Thing" ? { "": "A thing.", items: "The items.", selector: "Which ones." } : undefined;

const properties = (version: 2 | 3) =>
  openApiDefinition(Thing, { version, documentation }).properties as Record<string, Record<string, unknown>>;

test("structs list their required fields and the kinds they are served as", () => {
  const kinds = [{ group: "", version: "v1", kind: "Thing" }];
  expect(openApiDefinition(Thing, { version: 2, groupVersionKinds: kinds, documentation })).toMatchObject({
    description: "A thing.",
    type: "object",
    required: ["items"],
    "x-kubernetes-group-version-kind": kinds,
    "x-orchernetes-group-version-kind": kinds,
  });
  expect(Object.keys(properties(2)).slice(0, 3)).toEqual(["kind", "apiVersion", "metadata"]);
});

test("merge keys of lists are published in both spellings", () => {
  expect(properties(2).items).toEqual({
    description: "The items.",
    type: "array",
    items: { $ref: "#/definitions/io.o8s.api.core.v1.Item" },
    "x-kubernetes-patch-strategy": "merge",
    "x-kubernetes-patch-merge-key": "name",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "x-orchernetes-patch-strategy": "merge",
    "x-orchernetes-patch-merge-key": "name",
    "x-orchernetes-list-type": "map",
    "x-orchernetes-list-map-keys": ["name"],
  });
});

test.each([
  [2, "port", { default: 80, type: "string", format: "int-or-string" }],
  [3, "port", { default: 80, oneOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true }],
  [2, "limits", { type: "object", additionalProperties: { type: "string" } }],
  [2, "mode", { type: "string", enum: ["A", "B"] }],
  [3, "mode", { type: "string", enum: ["A", "B"] }],
  [3, "any", { "x-kubernetes-preserve-unknown-fields": true }],
  [2, "metadata", { $ref: "#/definitions/io.o8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
  [
    3,
    "selector",
    {
      description: "Which ones.",
      allOf: [{ $ref: "#/components/schemas/io.o8s.apimachinery.pkg.apis.meta.v1.LabelSelector" }],
    },
  ],
] as const)("version %d of %s", (version, name, want) => {
  expect(properties(version)[name]).toMatchObject(want);
});

test.each([
  [2, undefined],
  [3, undefined],
  [2, false],
  [3, false],
] as const)("version %d lists values unless they are open or enums are %s", (version, enums) => {
  const Word = s.message("core/v1", "Word", () => ({
    closed: s.optional(1, s.enumeration("B", "A")),
    each: s.optional(2, s.list(s.enumeration("B", "A"))),
    open: s.optional(3, s.openEnumeration("B", "A")),
  }));
  const made = openApiDefinition(Word, { version, ...(enums === undefined ? {} : { enums }) });
  const wanted = enums === false ? { type: "string" } : { type: "string", enum: ["A", "B"] };
  expect(made.properties).toEqual({
    closed: wanted,
    each: { type: "array", items: wanted },
    open: { type: "string" },
  });
});

test("other spellings of fields are members as well", () => {
  const aliases = { "x-kubernetes-a": "x-orchernetes-a" };
  const Word = s.message("core/v1", "Word", () => ({ "x-orchernetes-a": s.optional(1, s.string) }), { aliases });
  const { properties } = openApiDefinition(Word, { version: 2 });
  expect(properties).toEqual({ "x-orchernetes-a": { type: "string" }, "x-kubernetes-a": { type: "string" } });
});

test("messages with a form of their own describe themselves", () => {
  const custom: s.CustomJson = { decode: (value) => value, openApi: (version) => ({ version }), references: [Item] };
  const Union = s.message("core/v1", "Union", () => ({ a: s.optional(1, s.string) }), { custom });
  expect(openApiDefinition(Union, { version: 3 })).toEqual({ version: 3 });
  expect(referencedMessages(Union)).toEqual([Item]);
});

test("atomic structs say so", () => {
  expect(openApiDefinition(LabelSelector, { version: 3 })).toMatchObject({ "x-kubernetes-map-type": "atomic" });
});

test("references are found through lists and maps, recursion ends", () => {
  const Tree: s.MessageSchema = s.message("core/v1", "Tree", () => ({
    children: s.optional(1, s.mapOf<unknown>(s.list<unknown>(Tree))),
    item: s.pointer(2, Item),
  }));
  expect(referencedMessages(Tree)).toEqual([Item]);
  expect(reachableMessages([Tree])).toEqual([Tree, Item]);
  expect(reachableMessages([Thing]).map((schema) => schema.name)).toEqual([
    "Thing",
    "ObjectMeta",
    "Item",
    "LabelSelector",
    "OwnerReference",
    "ManagedFieldsEntry",
    "LabelSelectorRequirement",
  ]);
});
