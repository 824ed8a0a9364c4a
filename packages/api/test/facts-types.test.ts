import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Field, MessageSchema } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";

const file = fileURLToPath(new URL("../../testkit/facts/api-types.json", import.meta.url));
const source = fileURLToPath(new URL("../src/", import.meta.url));

interface FactField {
  readonly n?: string;
  readonly pb?: number;
  readonly lt?: string;
  readonly lk?: readonly string[];
  readonly ps?: string;
  readonly pk?: string;
  readonly inline?: string;
  readonly wireOnly?: boolean;
}
interface FactType {
  readonly fields?: readonly FactField[];
  readonly object?: boolean;
}
interface FactPackage {
  readonly types?: Readonly<Record<string, FactType>>;
  /** `=pkg.Type`: the same type under another name. */
  readonly aliases?: Readonly<Record<string, string>>;
}
type Facts = Readonly<Record<string, FactPackage>>;

const facts: Facts = Object.fromEntries(
  // Packages that the table took from a later version have ` since VERSION` after their name.
  Object.entries(JSON.parse(readFileSync(file, "utf8")) as Facts).map(([pkg, types]) => [
    pkg.replace(/ since .*/, ""),
    types,
  ]),
);

const isMessage = (value: unknown): value is MessageSchema =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "message" && "pkg" in value;

const modules: readonly Readonly<Record<string, unknown>>[] = await Promise.all(
  globSync("*/*/index.ts", { cwd: source }).map((path) => import(source + path)),
);

const schemas = modules
  .flatMap((module) => Object.values(module).filter(isMessage))
  .filter((schema) => facts[schema.pkg]?.types?.[schema.name] !== undefined)
  .map((schema) => ({ title: `${schema.pkg} ${schema.name}`, schema }));

/** Fields of a type by JSON name, including those of inlined structs. */
function fieldsOf(pkg: string, type: FactType): Map<string, FactField> {
  const fields = new Map<string, FactField>();
  for (const field of type.fields ?? []) {
    if (field.inline !== undefined) {
      const text = facts[pkg]?.aliases?.[field.inline]?.replace("=", "") ?? field.inline;
      const [name = "", home = pkg] = text.split(".").reverse();
      const inlined = name === "TypeMeta" ? undefined : facts[home]?.types?.[name];
      for (const [key, value] of inlined === undefined ? [] : fieldsOf(home, inlined)) {
        fields.set(key, value);
      }
    } else if (field.n !== undefined && field.wireOnly !== true) {
      fields.set(field.n, field);
    }
  }
  return fields;
}

const sketch = (fact: FactField): object => ({
  id: fact.pb,
  ...(fact.lt === undefined || fact.lt === "atomic" ? {} : { list: fact.lt, keys: fact.lk }),
  ...(fact.ps === undefined ? {} : { patch: fact.ps.replace(", ", ",") }),
  ...(fact.pk === undefined ? {} : { mergeKey: fact.pk }),
});

const sketchOf = (field: Field): object => ({
  id: field.id,
  ...(field.list === undefined || field.list === "atomic" ? {} : { list: field.list, keys: field.keys }),
  ...(field.patch === undefined ? {} : { patch: field.patch }),
  ...(field.mergeKey === undefined ? {} : { mergeKey: field.mergeKey }),
});

describe("types agree with the field tables", () => {
  test.each(schemas)("$title", ({ schema }) => {
    const type = facts[schema.pkg]?.types?.[schema.name] ?? {};
    const typeMeta = schema.object === true ? ["kind", "apiVersion"] : [];
    const fields = Object.entries(schema.fields()).filter(([name]) => !typeMeta.includes(name));
    expect(Object.fromEntries(fields.map(([name, field]) => [name, sketchOf(field)]))).toEqual(
      Object.fromEntries([...fieldsOf(schema.pkg, type)].map(([name, fact]) => [name, sketch(fact)])),
    );
  });
});
