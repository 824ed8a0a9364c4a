import type { apiextensions } from "@orchernetes/api";
import { additionalOf, itemsOf, type JsonSchema, schemaOf } from "../schema/json-schema.ts";

/** How many rules (`x-orchernetes-validations`) the schemas of a definition have, at places where they are allowed. */
export function rulesOf({ spec }: apiextensions.CustomResourceDefinition): number {
  let count = 0;
  const pending = spec.versions.map(schemaOf);
  for (let schema = pending.pop(); schema !== undefined || pending.length > 0; schema = pending.pop()) {
    if (schema === undefined) continue;
    count += schema["x-orchernetes-validations"]?.length ?? 0;
    pending.push(...below(schema));
  }
  return count;
}

function below(schema: JsonSchema): readonly (JsonSchema | undefined)[] {
  return [...Object.values(schema.properties ?? {}), itemsOf(schema), additionalOf(schema)];
}
