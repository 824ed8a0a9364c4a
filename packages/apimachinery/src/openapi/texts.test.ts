import { expect, test } from "vitest";
import { listSchemaOf } from "../resource/list.ts";
import { ObjectMeta } from "../resource/object-meta.ts";
import * as s from "../schema/index.ts";
import { type DocumentationSource, textsOf } from "./texts.ts";

const Part = s.message("toys/v1", "Part", () => ({ kind: s.required(1, s.string) }));
const Toy = s.object("toys/v1", "Toy", () => ({
  metadata: s.value(1, ObjectMeta),
  parts: s.optional(2, s.list(Part)),
}));
const source: DocumentationSource = ({ name }) =>
  name === "Toy" ? { "": "A toy.", metadata: "Its name.", parts: "What it is made of." } : undefined;

test.each([
  ["a struct without texts", Part, undefined],
  ["an object", Toy, /^Name of the object's type/],
  ["a list", listSchemaOf(Toy as never), /^Name of the object's type/],
])("%s: common fields", (_name, schema, kind) => {
  expect(textsOf(schema, source).kind).toEqual(kind === undefined ? undefined : expect.stringMatching(kind));
});

test("what the field declares has precedence over common descriptions", () => {
  expect(textsOf(Toy, source)).toMatchObject({ "": "A toy.", metadata: "Its name.", parts: "What it is made of." });
  expect(textsOf(Toy).metadata).toMatch(/^Metadata that every object has/);
});

test("lists are described without declarations", () => {
  expect(textsOf(listSchemaOf(Toy as never), source)).toMatchObject({
    "": "A list of Toy objects.",
    items: expect.stringContaining("Toy"),
    metadata: expect.stringContaining("resourceVersion"),
  });
});
