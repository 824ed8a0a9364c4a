import type { Field, Schema } from "@orchernetes/apimachinery";
import { schemaValue } from "../generate/schema-value.ts";
import type { Random } from "../random.ts";
import { accepts, afters, befores, headerNames, parameters, units } from "./grow-words.ts";
import type { Growth } from "./grown-text.ts";
import {
  baseOfForm,
  bodiless,
  type Form,
  forms,
  lineBytes,
  ofPresent,
  type SlowCase,
  schemaOfForm,
} from "./slow-case.ts";
import { keyOf, resourceOf, slowResources } from "./slow-resources.ts";

/** Bytes of a full-size body. The server accepts 3 MiB. */
export const fullBytes = 3_000_000;

/** Bytes of an object that exists before the request. Stores accept 1.5 MiB. */
const storedBytes = 1_300_000;

/**
 * A user with many rights, but not all. For a role that this user writes, the server must compare each of its rules
 * with theirs (escalation check).
 */
export const limitedUser = "limited";

/** A case for a resource in a form, with one place grown to the given number of bytes. */
export function newCase(random: Random, resource: string, form: Form, bytes: number): SlowCase {
  const accept = random.chance(0.1) ? { accept: random.pick(accepts) } : {};
  const user = resource.startsWith("rbac.") && random.chance(0.6) ? { user: limitedUser } : {};
  const stored =
    ofPresent.has(form) && random.chance(0.3) ? { stored: [growth(random, resource, "update", storedBytes)] } : {};
  return { resource, form, growths: [growth(random, resource, form, bytes)], ...stored, ...accept, ...user };
}

/**
 * A variation of a case: another place grown, another form, other text, another object that exists before, or a
 * larger size.
 */
export function mutated(random: Random, given: SlowCase, bytes: number): SlowCase {
  const { growths, form, resource } = given;
  switch (random.below(5)) {
    case 0: {
      if (bodiless.has(form)) return newCase(random, resource, form, bytes);
      return { ...given, form: random.pick(forms.filter((one) => !bodiless.has(one) && one !== "delete")) };
    }
    case 1:
      return scaled({ ...given, growths: [...growths.slice(-3), growth(random, resource, form, bytes)] }, bytes);
    case 2: {
      const i = random.below(growths.length);
      const changed = growths.map((one, j) =>
        i !== j || one.how !== "text" ? one : { ...one, of: random.pick(units) },
      );
      return scaled({ ...given, growths: changed }, bytes);
    }
    case 3: {
      if (!ofPresent.has(form)) return scaled(given, bytes);
      // With the same growth in both, the server compares two long lists with each other.
      const from = random.chance(0.5) && form !== "delete" ? growths : [growth(random, resource, "update", bytes)];
      return { ...given, stored: scaled({ ...given, growths: from }, storedBytes).growths };
    }
    default:
      return scaled(given, bytes);
  }
}

/** The same growths in a case of another resource; undefined when not every resource has those places. */
export function transplanted(given: SlowCase, resource: string, form: Form): SlowCase | undefined {
  if (bodiless.has(given.form) !== bodiless.has(form) || given.form === "delete" || form === "delete") return undefined;
  const common = given.growths.every(({ at }) => at[0] === "metadata" || bodiless.has(form) || at.length === 0);
  return common ? { ...given, resource, form } : undefined;
}

/** The case with its growths resized so that together they have about the given number of bytes. */
export function scaled(given: SlowCase, bytes: number): SlowCase {
  if (bodiless.has(given.form)) return given;
  const share = bytes / Math.max(1, given.growths.length);
  const growths = given.growths.map((one) => ({ ...one, times: timesFor(one.how, one.of, share, one.most) }));
  return { ...given, growths };
}

/**
 * Values just below the limits of the server for members, objects and owned items of a document. A document at a
 * limit is the most work, since one above it is rejected early.
 */
const limits: readonly number[] = [59_000, 74_000, 140_000, 29_000, 9000];

function timesFor(how: Growth["how"], of: string, bytes: number, most = Number.POSITIVE_INFINITY): number {
  const more = how === "keys" ? 11 : how === "duplicates" ? 5 : how === "text" ? 0 : 1;
  const counts = of.includes("{{i}}") ? 3 : 0;
  const escaped = how === "text" ? Buffer.byteLength(JSON.stringify(of)) - 2 : Buffer.byteLength(of);
  return Math.max(1, Math.min(most, Math.floor(bytes / (escaped + more + counts))));
}

function growth(random: Random, resource: string, form: Form, bytes: number): Growth {
  const make: Make = (at, how, of, ends) => {
    const most = how !== "text" && how !== "nested" && random.chance(0.6) ? random.pick(limits) : undefined;
    const limited = most === undefined ? {} : { most };
    return { at, how, of, times: timesFor(how, of, bytes, most), ...limited, ...(ends === undefined ? {} : { ends }) };
  };
  if (bodiless.has(form)) {
    const at = form === "path" ? "path" : random.pick(form === "query" ? parameters : headerNames);
    const unit = random.pick(units);
    const times = Math.ceil(lineBytes / unit.length);
    return { ...make([at], "text", unit, [random.pick(befores), random.pick(afters)]), times };
  }
  if (form === "json-patch" && random.chance(0.3)) return patchOperations(random, make);
  const definition = resourceOf(resource);
  return walk(random, schemaOfForm(definition, form), baseOfForm(definition, form), [], make);
}

function patchOperations(random: Random, make: Make): Growth {
  const path = `/metadata/${random.pick(["finalizers", "labels", "annotations", "ownerReferences"])}`;
  const op = random.pick([
    { op: "add", path: `${path}/-`, value: "a/{{i}}" },
    { op: "add", path: `${path}/0`, value: "a/{{i}}" },
    { op: "test", path, value: [] },
    { op: "test", path: "", value: {} },
    { op: "copy", from: path, path: `${path}/x{{i}}` },
    { op: "copy", from: path, path: `${path}/-` },
    { op: "copy", from: "", path: "/metadata/x" },
    { op: "move", from: `${path}/0`, path: `${path}/-` },
    { op: "add", path: `${path}/x{{i}}`, value: "{{i}}" },
    { op: "remove", path: `${path}/0` },
    { op: "replace", path: `/${"~1".repeat(1000)}`, value: 1 },
  ]);
  return make([], "operations", JSON.stringify(op));
}

type Make = (at: readonly string[], how: Growth["how"], of: string, ends?: Growth["ends"]) => Growth;

/** Descends a schema along random fields and grows the place where it ends. */
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
        () => make(at, "nested", random.pick(["[", '{"a":', '[{"a":'])),
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

/**
 * JSON of an item: the smallest one, the present one, or a random one. Texts in it sometimes contain a counter, so
 * that items differ.
 */
function itemText(random: Random, schema: Schema, present: unknown): string {
  const choice = random.below(4);
  if (choice === 0) return random.pick(schema.kind === "message" ? ["{}", "{}", "null"] : ['""', "null", "0"]);
  if (schema.kind === "string" && choice === 1) return random.pick(['"a{{i}}"', '"a/{{i}}"', '"{{i}}"']);
  const value = present !== undefined && choice < 3 ? present : schemaValue(random, schema, 3);
  const text = JSON.stringify(value) ?? "null";
  return random.chance(0.7)
    ? text.replace(/"(name|key|uid|ip|path|mountPath|type)":"([^"]*)"/, '"$1":"$2{{i}}"')
    : text;
}

/** All targets (pairs of a resource and a form) in a random order. */
export function targetsOf(random: Random): readonly (readonly [resource: string, form: Form])[] {
  const all = slowResources.flatMap((definition) => forms.map((form) => [keyOf(definition), form] as const));
  for (let i = all.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const [a, b] = [all[i], all[j]];
    if (a !== undefined && b !== undefined) [all[i], all[j]] = [b, a];
  }
  return all;
}
