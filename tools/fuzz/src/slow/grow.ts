import type { Field, Schema } from "@orchernetes/apimachinery";
import { schemaValue } from "../generate/schema-value.ts";
import type { Random } from "../random.ts";
import { type Form, forms, type Growth, type SlowCase } from "./slow-case.ts";
import { baseObject, keyOf, resourceOf, slowResources } from "./slow-resources.ts";

/** Bytes that a body grows to; the server takes three MiB. */
export const fullBytes = 3_000_000;

/** Texts that are repeated: what patterns backtrack over, what parsers split at, and what is escaped. */
const units = [
  "a",
  "1",
  "0",
  "-",
  "a-",
  "a.",
  "a/",
  "a,",
  "a=b,",
  "a:",
  "::",
  ".",
  "/",
  "*",
  "*,",
  "*/1,",
  "['",
  "']",
  "{",
  "[",
  "(",
  " ",
  "\n",
  "\t",
  "\\",
  '"',
  "%",
  "=",
  "!",
  "é",
  "\u{1F600}",
  "\u0001",
  "A_",
  "1.",
  "1e",
  "1h",
  "$(a)",
  "a b ",
  "10.0.0.1,",
  "in (a),",
  "-----BEGIN A-----\n",
  "a: b\n",
  "..",
  "~1",
  "{{i}},",
  "x{{i}}.",
];
const befores = [
  "",
  "",
  "",
  "a",
  "/",
  "-",
  "@every ",
  "TZ=",
  "metadata.labels['",
  "1",
  "https://a/",
  "iqn.2001-04.a:",
  "*",
];
const afters = ["", "", "", "!", "a", "']", "Z", "*", "-", "/", " * * * *"];

/** A case for a resource in a form, with one place of it grown to so many bytes. */
export function newCase(random: Random, resource: string, form: Form, bytes: number): SlowCase {
  const accept = random.chance(0.1) ? { accept: random.pick(accepts) } : {};
  return { resource, form, growths: [growth(random, resource, form, bytes)], ...accept };
}

const accepts = [
  "application/yaml",
  "application/vnd.orchernetes.protobuf",
  "application/json;as=Table;v=v1;g=meta.o8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.o8s.io",
];

/** A case like another one: with one more place grown, in another form, with other text, or larger. */
export function mutated(random: Random, given: SlowCase, bytes: number): SlowCase {
  const { growths, form, resource } = given;
  switch (random.below(4)) {
    case 0:
      return { ...given, form: form === "selector" ? form : random.pick(forms.filter((one) => one !== "selector")) };
    case 1:
      return scaled({ ...given, growths: [...growths.slice(-3), growth(random, resource, form, bytes)] }, bytes);
    case 2: {
      const i = random.below(growths.length);
      const changed = growths.map((one, j) =>
        i !== j || one.how !== "text" ? one : { ...one, of: random.pick(units) },
      );
      return scaled({ ...given, growths: changed }, bytes);
    }
    default:
      return scaled(given, bytes);
  }
}

/** The case with its places grown or shrunk so that together they have about so many bytes. */
export function scaled(given: SlowCase, bytes: number): SlowCase {
  const share = bytes / Math.max(1, given.growths.length);
  const growths = given.growths.map((one) => ({ ...one, times: timesFor(one.how, one.of, share) }));
  return { ...given, growths };
}

function timesFor(how: Growth["how"], of: string, bytes: number): number {
  const more = how === "keys" ? 11 : how === "duplicates" ? 5 : how === "text" ? 0 : 1;
  const counts = of.includes("{{i}}") ? 3 : 0;
  const escaped = how === "text" ? JSON.stringify(of).length - 2 : Buffer.byteLength(of);
  const times = Math.max(1, Math.floor(bytes / (escaped + more + counts)));
  return how === "operations" ? Math.min(times, 10_000) : times;
}

function growth(random: Random, resource: string, form: Form, bytes: number): Growth {
  const make = (at: readonly string[], how: Growth["how"], of: string, ends?: Growth["ends"]): Growth => ({
    at,
    how,
    of,
    times: timesFor(how, of, bytes),
    ...(ends === undefined ? {} : { ends }),
  });
  if (form === "selector") {
    const at = [random.pick(["labelSelector", "fieldSelector", "continue", "resourceVersion"])];
    return { ...make(at, "text", random.pick(units), [random.pick(befores), random.pick(afters)]), times: 12_000 };
  }
  if (form === "json-patch" && random.chance(0.3)) {
    const path = `/metadata/${random.pick(["finalizers", "labels", "annotations", "ownerReferences"])}`;
    const op = random.pick([
      { op: "add", path: `${path}/-`, value: "a/{{i}}" },
      { op: "add", path: `${path}/0`, value: "a/{{i}}" },
      { op: "test", path, value: [] },
      { op: "copy", from: path, path: `${path}/x{{i}}` },
      { op: "add", path: `${path}/x{{i}}`, value: "{{i}}" },
      { op: "remove", path: `${path}/0` },
    ]);
    return make([], "operations", JSON.stringify(op));
  }
  const definition = resourceOf(resource);
  const base: unknown = baseObject(definition, "slow");
  return walk(random, definition.schema, base, [], make);
}

type Make = (at: readonly string[], how: Growth["how"], of: string, ends?: Growth["ends"]) => Growth;

/** Goes down a schema, as long as chance has it, and grows what it comes to. */
function walk(random: Random, schema: Schema, present: unknown, at: readonly string[], make: Make): Growth {
  switch (schema.kind) {
    case "message": {
      const fields = Object.entries(schema.fields() as Readonly<Record<string, Field>>);
      if (fields.length === 0 || (at.length > 0 && random.chance(0.05)))
        return make(at, random.pick(["keys", "duplicates"] as const), random.pick(["0", '"a"', "{}", "[]"]));
      const known = fields.filter(([name]) => memberOf(present, name) !== undefined);
      const [name, field] = random.pick(known.length > 0 && random.chance(0.5) ? known : fields);
      if (at.length > 14) return make([...at, name], "text", "a");
      return walk(random, field.schema, memberOf(present, name), [...at, name], make);
    }
    case "list": {
      const item = Array.isArray(present) ? (present[0] as unknown) : undefined;
      if (schema.item.kind === "message" && random.chance(0.5))
        return walk(random, schema.item, item ?? {}, [...at, "0"], make);
      return make(at, "items", itemText(random, schema.item, item));
    }
    case "map":
      return make(at, random.pick(["keys", "keys", "duplicates"] as const), itemText(random, schema.value, undefined));
    case "raw":
    case "json":
      return random.pick([
        () => make(at, "nested", random.pick(["[", '{"a":'])),
        () => make(at, "keys", random.pick(["0", "{}", '""'])),
        () => make(at, "items", random.pick(["0", "{}", '""', "[]"])),
      ])();
    default:
      return make(at, "text", random.pick(units), [random.pick(befores), random.pick(afters)]);
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** JSON of an item: the smallest, the present one, or any; texts in it count up at times. */
function itemText(random: Random, schema: Schema, present: unknown): string {
  const choice = random.below(4);
  if (choice === 0) return random.pick(schema.kind === "message" ? ["{}", "{}", "null"] : ['""', "null", "0"]);
  const value = present !== undefined && choice < 3 ? present : schemaValue(random, schema, 3);
  const text = JSON.stringify(value) ?? "null";
  return random.chance(0.7)
    ? text.replace(/"(name|key|uid|ip|path|mountPath|type)":"([^"]*)"/, '"$1":"$2{{i}}"')
    : text;
}

/** All pairs of a resource and a form, in an order that the seed determines. */
export function pairs(random: Random): readonly (readonly [resource: string, form: Form])[] {
  const all = slowResources.flatMap((definition) => forms.map((form) => [keyOf(definition), form] as const));
  for (let i = all.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const [a, b] = [all[i], all[j]];
    if (a !== undefined && b !== undefined) [all[i], all[j]] = [b, a];
  }
  return all;
}
