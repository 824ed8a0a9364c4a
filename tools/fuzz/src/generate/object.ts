import { type ResourceDefinition, setOwn } from "@orchernetes/apimachinery";
import type { Random } from "../random.ts";
import { mutatedJson } from "./json-value.ts";
import { minimalObject } from "./minimal-objects.ts";
import { plainName } from "./nasty-text.ts";
import { schemaValue } from "./schema-value.ts";

/** An object of a kind: a minimal one, often with further fields of its schema, often partly broken. */
export function randomObject(random: Random, definition: ResourceDefinition): Record<string, unknown> {
  const object = minimalObject(definition, plainName(random));
  if (random.chance(0.6)) enrich(random, object, schemaValue(random, definition.schema));
  return random.chance(0.6) ? (mutatedJson(random, object) as Record<string, unknown>) : object;
}

/** Adds members that the object lacks, at every level. Sometimes replaces those that it has. */
function enrich(random: Random, object: Record<string, unknown>, more: unknown): void {
  if (typeof more !== "object" || more === null || Array.isArray(more)) return;
  for (const [key, value] of Object.entries(more)) {
    const present = Object.hasOwn(object, key) ? object[key] : undefined;
    if (key === "kind" || key === "apiVersion") continue;
    if (typeof present === "object" && present !== null && !Array.isArray(present)) {
      enrich(random, present as Record<string, unknown>, value);
    } else if (Array.isArray(present) && present.length > 0 && Array.isArray(value) && random.chance(0.5)) {
      enrich(random, present[0] as Record<string, unknown>, value[0]);
    } else if (present === undefined || random.chance(0.2)) setOwn(object, key, value);
  }
}
