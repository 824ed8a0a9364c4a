import type { apiextensions } from "@orchernetes/api";

/**
 * A schema as a CustomResourceDefinition has it: JSON Schema in the dialect of OpenAPI 3.0, with the extensions of Kubernetes in this
 * project's spelling.
 *
 * Some keywords are here although validation rejects them (`$ref`, `definitions`, `patternProperties`): the API type has them, and an
 * error that names the keyword helps more than a silently dropped field.
 */
export interface JsonSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly dependencies?: Readonly<Record<string, JsonSchema | readonly string[]>>;
  readonly additionalItems?: JsonSchema | boolean;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly externalDocs?: unknown;
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly "x-orchernetes-preserve-unknown-fields"?: boolean;
  readonly "x-orchernetes-embedded-resource"?: boolean;
  readonly "x-orchernetes-int-or-string"?: boolean;
  readonly "x-orchernetes-list-map-keys"?: readonly string[];
  readonly "x-orchernetes-list-type"?: string;
  readonly "x-orchernetes-map-type"?: string;
  readonly "x-orchernetes-validations"?: readonly apiextensions.ValidationRule[];
}

/** The schema of one version of a definition; undefined when it has none. */
export function schemaOf(version: apiextensions.CustomResourceDefinitionVersion): JsonSchema | undefined {
  return version.schema?.openAPIV3Schema as JsonSchema | undefined;
}

/** The schema of all items; undefined when there is none, or one for each position. */
export function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return items === undefined || Array.isArray(items) ? undefined : (items as JsonSchema);
}

/** The schema of members that are not among the properties; undefined when a boolean says all there is. */
export function additionalOf({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
