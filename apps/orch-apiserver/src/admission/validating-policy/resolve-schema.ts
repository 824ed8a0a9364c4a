import { definitionName, type MessageSchema, type OpenApiSchema, openApiDefinition } from "@orchernetes/apimachinery";
import type { DeclarableSchema } from "@orchernetes/cel";

/** What is not known of a type's schema: expressions may do anything with it. */
const anything: DeclarableSchema = { "x-orchernetes-int-or-string": true };

/** The schema of a type with those that it refers to in their places; a type inside of itself may be anything. */
export function resolveSchema(schema: MessageSchema): DeclarableSchema {
  return new Resolver().message(schema);
}

class Resolver {
  readonly #messages = new Map<string, MessageSchema>();
  /** Types around the present place. */
  readonly #around = new Set<string>();

  message(schema: MessageSchema): DeclarableSchema {
    const name = definitionName(schema);
    if (this.#around.has(name)) return anything;
    this.#around.add(name);
    const ref = (inner: MessageSchema): string => {
      const key = definitionName(inner);
      this.#messages.set(key, inner);
      return key;
    };
    // Version 2 has one type for a quantity and for each field; version 3 has all properties of custom resources.
    const version = schema.custom === undefined ? 2 : 3;
    const resolved = this.#resolve(openApiDefinition(schema, { version, ref, enums: false }));
    this.#around.delete(name);
    return resolved;
  }

  #resolve(schema: OpenApiSchema): DeclarableSchema {
    const message = this.#messages.get(referenceOf(schema) ?? "");
    if (message !== undefined) return this.message(message);
    const { properties, additionalProperties, items, ...own } = schema;
    return {
      ...own,
      ...(isSchema(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, one]) => [name, isSchema(one) ? this.#resolve(one) : {}]),
        ),
      }),
      ...(isSchema(additionalProperties) && { additionalProperties: this.#resolve(additionalProperties) }),
      ...(isSchema(items) && { items: this.#resolve(items) }),
    };
  }
}

const isSchema = (value: unknown): value is OpenApiSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The reference of a schema; beside other members it is in an `allOf`. */
function referenceOf({ $ref, allOf }: OpenApiSchema): string | undefined {
  if (typeof $ref === "string") return $ref;
  const [first] = Array.isArray(allOf) ? allOf : [];
  return isSchema(first) ? referenceOf(first) : undefined;
}
