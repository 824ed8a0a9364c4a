import { type ResourceDefinition, setOwn } from "@orchernetes/apimachinery";
import type { Random } from "../random.ts";
import { anyJson, mutatedJson, nested } from "./json-value.ts";
import { minimalObject } from "./minimal-objects.ts";
import { nastyText, trapNames } from "./nasty-text.ts";
import { schemaValue } from "./schema-value.ts";

/** JSON pointers (RFC 6901) to the values inside a value; stops after about 200. */
function pointersOf(value: unknown, prefix = "", out: string[] = [""]): string[] {
  if (typeof value === "object" && value !== null && out.length < 200) {
    for (const [key, item] of Object.entries(value)) {
      const pointer = `${prefix}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      out.push(pointer);
      pointersOf(item, pointer, out);
    }
  }
  return out;
}

/** The operations of a JSON patch (RFC 6902) for a document, mostly at paths that exist in it. */
export function jsonPatchBody(random: Random, document: unknown): unknown {
  const pointers = pointersOf(document);
  const pointer = (): string => {
    const base = random.pick(pointers);
    if (random.chance(0.6)) return base;
    return (
      base +
      random.pick([
        "/-",
        "/0",
        "/1",
        "/x",
        "/01",
        "/999999999",
        "/",
        "~2",
        `/${random.pick(trapNames)}`,
        `/${nastyText(random)}`,
        "/a".repeat(random.size(1200)),
      ])
    );
  };
  const operations = random.many(0, 6, () => ({
    op: random.chance(0.95) ? random.pick(["add", "remove", "replace", "move", "copy", "test"]) : nastyText(random),
    path: pointer(),
    from: pointer(),
    value: random.chance(0.9) ? anyJson(random) : nested(random, random.size(900)),
  }));
  // More operations than a server accepts, which is 10,000.
  if (random.chance(0.03)) return Array.from({ length: random.size(12_000) }, () => random.pick(operations) ?? {});
  return random.chance(0.1) ? mutatedJson(random, operations) : operations;
}

/** A merge patch (RFC 7386): a part of some object of the kind, with nulls in it. */
export function mergePatchBody(random: Random, definition: ResourceDefinition): unknown {
  const base = random.chance(0.3)
    ? minimalObject(definition, "x")
    : (schemaValue(random, definition.schema) as Record<string, unknown>);
  delete base.kind;
  delete base.apiVersion;
  if (random.chance(0.7)) delete base.metadata;
  return random.chance(0.6) ? mutatedJson(random, base, 2) : base;
}

// The directives of sig-api-machinery's strategic-merge-patch.md.
const directives = ["$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/"] as const;

/** A strategic merge patch: a merge patch with directives added at random places. */
export function strategicPatchBody(random: Random, definition: ResourceDefinition): unknown {
  const patch = mergePatchBody(random, definition);
  addDirectives(random, patch);
  return patch;
}

function addDirectives(random: Random, value: unknown, depth = 30): void {
  if (typeof value !== "object" || value === null || depth === 0) return;
  for (const item of Object.values(value)) addDirectives(random, item, depth - 1);
  if (Array.isArray(value)) {
    if (random.chance(0.1)) value.push({ $patch: random.pick(["delete", "replace", "merge"]), name: "c" });
    return;
  }
  if (!random.chance(0.3)) return;
  const object = value as Record<string, unknown>;
  const directive = random.pick(directives);
  const name = random.pick([...Object.keys(object), "finalizers", "x"]);
  const present = object[name];
  if (directive === "$patch") object.$patch = random.pick<unknown>(["delete", "replace", "merge", "x", 1, null]);
  else if (directive === "$retainKeys") object.$retainKeys = random.chance(0.8) ? Object.keys(object) : anyJson(random);
  else if (random.chance(0.8))
    setOwn(object, directive + name, Array.isArray(present) ? present.slice(random.below(2)) : ["a"]);
  else setOwn(object, directive + nastyText(random), anyJson(random));
}
