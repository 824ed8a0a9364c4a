import type { Field, Schema } from "@orchernetes/apimachinery";
import type { Growth } from "./grown-text.ts";
import { type Form, forms, type SlowCase, slowName } from "./slow-case.ts";
import { baseObject, isCustom, keyOf, slowResources } from "./slow-resources.ts";

/** The forms with an object or a change of it in the body. */
const bodyForms: readonly Form[] = forms.filter(
  (form) => !["status", "delete", "query", "header", "path"].includes(form),
);

/** The largest number of members or items with an owner each (managedFields), and of members in a document. */
const owned = 39_900;
const mostMembers = 59_000;

/** The most expensive growths that the server does not reject at once, at places that all kinds have. */
const common: readonly Growth[] = [
  { at: ["metadata", "annotations"], how: "keys", of: '"annotations may be long"', times: mostMembers },
  { at: ["metadata", "labels"], how: "keys", of: '"label/{{i}}"', times: owned },
  { at: ["metadata", "finalizers"], how: "items", of: '"example.com/{{i}}"', times: owned },
  {
    at: ["metadata", "ownerReferences"],
    how: "items",
    of: '{"apiVersion":"v1","kind":"Pod","name":"a{{i}}","uid":"u{{i}}","controller":true}',
    times: 24_000,
  },
  {
    at: ["metadata", "managedFields"],
    how: "items",
    of: '{"manager":"m{{i}}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{}}}',
    times: 20_000,
  },
  { at: ["metadata", "name"], how: "text", of: "a-", times: 1_400_000 },
];

const listItems: readonly string[] = ['"a{{i}}"', '"*"', '""'];

/** The shortest useful value of a map. */
function valueText({ kind }: Schema): string {
  switch (kind) {
    case "list":
      return '["1"]';
    case "map":
    case "message":
      return "{}";
    default:
      return '"1"';
  }
}

/** Lists and maps among the fields of a kind, nearest to the root first. */
function widePlaces(schema: Schema, base: unknown): readonly Growth[] {
  const found: Growth[] = [];
  const todo: { readonly schema: Schema; readonly at: readonly string[]; readonly present: unknown }[] = [
    { schema, at: [], present: base },
  ];
  for (const { schema: one, at, present } of todo) {
    if (at.length > 6 || found.length >= 12) break;
    if (one.kind === "message") {
      for (const [name, field] of Object.entries(one.fields() as Readonly<Record<string, Field>>)) {
        if (at.length === 0 && (name === "metadata" || name === "kind" || name === "apiVersion")) continue;
        const value = (present as Readonly<Record<string, unknown>> | undefined)?.[name];
        todo.push({ schema: field.schema, at: [...at, name], present: value });
      }
    } else if (one.kind === "list") {
      const first = Array.isArray(present) ? (present[0] as unknown) : undefined;
      if (one.item.kind === "message") {
        const text = first === undefined ? "{}" : JSON.stringify(first).replace(/"name":"([^"]*)"/, '"name":"$1{{i}}"');
        const times = Math.min(70_000, Math.floor(2_800_000 / (text.length + 4)));
        found.push({ at, how: "items", of: text, times });
        todo.push({ schema: one.item, at: [...at, "0"], present: first });
      } else found.push({ at, how: "items", of: listItems[found.length % listItems.length] ?? '""', times: 149_000 });
    } else if (one.kind === "map")
      found.push({ at, how: "keys", of: valueText(one.value), times: found.length % 2 === 0 ? owned : mostMembers });
  }
  return found;
}

/**
 * Large cases that are known to be much work: one for each kind and each form with a body. Different forms of a kind
 * get different growths.
 */
export function worstKnown(): readonly SlowCase[] {
  return slowResources.flatMap((definition, i) => {
    const wide = widePlaces(definition.schema, baseObject(definition, slowName));
    return bodyForms
      .filter((form) => form !== "protobuf" || !isCustom(definition))
      .map((form, j): SlowCase => {
        const own = wide[Math.floor((i + j) / 2) % Math.max(1, wide.length)];
        const growth = (i + j) % 2 === 0 && own !== undefined ? own : (common[(i + j) % common.length] as Growth);
        return { resource: keyOf(definition), form, growths: [growth] };
      });
  });
}

/** One case of {@link worstKnown} for each kind, with the forms in turn: as many as a test has time for. */
export function someWorstKnown(): readonly SlowCase[] {
  const known = worstKnown();
  return slowResources.map((definition, i) => {
    const ofKind = known.filter(({ resource }) => resource === keyOf(definition));
    return ofKind[i % ofKind.length] as SlowCase;
  });
}
