import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as apimachinery from "@orchernetes/apimachinery";
import { type MessageSchema, type ResourceDefinition, reachableMessages, textsOf } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { documentedPackages, loadDocumentation } from "../src/documentation.ts";
import * as groups from "../src/index.ts";

const optional = await groups.loadOptionalResources(() => true);
const definitions: readonly ResourceDefinition[] = [...groups.allResources, ...optional];
const source = await loadDocumentation();

const messagesIn = (exports: object): readonly MessageSchema[] =>
  Object.values(exports as Record<string, unknown>).filter(isMessage);
const isMessage = (value: unknown): value is MessageSchema =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "message" && "pkg" in value;

const served = definitions.flatMap(({ schema, listKind, subresources }) => [
  schema,
  apimachinery.listSchemaOf(schema, listKind),
  ...Object.values(subresources ?? {}).flatMap((subresource) =>
    subresource.type === "handler" && subresource.schema !== undefined ? [subresource.schema] : [],
  ),
]);
const reachable = reachableMessages([...served, apimachinery.Scale, apimachinery.Status, apimachinery.DeleteOptions]);

/** All message types of the package, whether served or not. */
const sources = fileURLToPath(new URL("../src/", import.meta.url));
const typeFiles = globSync("*/*/index.ts", { cwd: sources });
const typeModules = await Promise.all(
  typeFiles.map(async (path) => (await import(pathToFileURL(join(sources, path)).href)) as object),
);
const known = reachableMessages([...reachable, ...messagesIn(apimachinery), ...typeModules.flatMap(messagesIn)]);
const titled = (schemas: readonly MessageSchema[]) =>
  [...new Map(schemas.map((schema) => [`${schema.pkg} ${schema.name}`, schema]))].sort(([a], [b]) => (a < b ? -1 : 1));

/** All types that can appear in the OpenAPI documents: kinds, whether served by default or not, and the types they contain. */
const shown = reachableMessages([...reachable, ...known.filter((schema) => schema.object === true)]);

test.each(titled(shown))("%s: the type and all its fields have texts", (_title, schema) => {
  const texts = textsOf(schema, source);
  const names = ["", ...Object.keys(schema.fields())];
  expect(names.filter((name) => texts[name] === undefined)).toEqual([]);
});

test.each(await documentedPackages())(
  "%s: texts describe existing types and fields, and are not empty",
  (pkg, types) => {
    const schemas = new Map(known.filter((schema) => schema.pkg === pkg).map((schema) => [schema.name, schema]));
    const errors = Object.entries(types).flatMap(([type, texts]) => {
      const fields = schemas.get(type)?.fields();
      if (fields === undefined) return [`${type}: no such type`];
      return Object.entries(texts).flatMap(([field, text]) => [
        ...(field === "" || Object.hasOwn(fields, field) ? [] : [`${type}.${field}: no such field`]),
        ...(saysSomething(text, field === "" ? type : field) ? [] : [`${type}.${field}: ${JSON.stringify(text)}`]),
      ]);
    });
    expect(errors).toEqual([]);
  },
);

/** Whether the text is a sentence: not just the field's name, with a full stop, and with the project's own names. */
function saysSomething(text: string, name: string): boolean {
  const plain = text.replace(/[^a-z0-9]/gi, "").toLowerCase();
  return (
    plain !== name.toLowerCase() &&
    text.length > 8 &&
    text === text.trim() &&
    /[.)]$/.test(text) &&
    !/kube(?!ctl)|k8s/i.test(text)
  );
}

test("there are no texts for types of other packages or inherited names", () => {
  expect(source({ kind: "message", pkg: "core/v1", name: "toString", fields: () => ({}) })).toBeUndefined();
  expect(source({ kind: "message", pkg: "toys/v1", name: "Pod", fields: () => ({}) })).toBeUndefined();
});

test("texts are imported only by other texts and, on request, by the loader", () => {
  const isText = (path: string): boolean => /(^|[\\/])documentation([\\/]|\.ts$)/.test(path);
  const importers = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && (!isText(path) || path === "documentation.ts"))
    .filter((path) => /\bfrom "[^"]*documentation[^"]*"/.test(readFileSync(join(sources, path), "utf8")));
  expect(importers).toEqual([]);
});
