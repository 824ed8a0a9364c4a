import { additionalOf, itemsOf, type JsonSchema } from "./json-schema.ts";

/**
 * The shapes that a structural schema describes (KEP-2335), compiled for walking values: which members there are, which have defaults,
 * and where anything is allowed.
 *
 * A structural schema describes each member in exactly one place, outside of allOf, anyOf, oneOf and not. So a walk knows at each step
 * what a member is without evaluating any rule, and pruning and defaulting have one result, not one for each alternative.
 *
 * Members are kept in maps, not in objects: a member may be called `__proto__` or `constructor`.
 */
export interface Structural {
  readonly schema: JsonSchema;
  readonly properties: ReadonlyMap<string, Structural>;
  /** The shape of an array's items. */
  readonly items: Structural | undefined;
  /** The shape of members that are not among the properties; undefined and `open`: nothing is known of what they hold. */
  readonly additional: Structural | undefined;
  /** There may be members that are not among the properties. */
  readonly open: boolean;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** Members that are not among the properties stay as they are. */
  readonly preserve: boolean;
  /** The value is an object of its own, with apiVersion, kind and metadata. */
  readonly embedded: boolean;
  /** The properties that have a default of their own. */
  readonly defaulted: ReadonlyMap<string, Structural>;
  /** There is a default here or below. Walks skip all parts of a value where this and the next two are false. */
  readonly defaults: boolean;
  /** There is an embedded object here or below. */
  readonly embeds: boolean;
  /** There is a set or map list here or below. */
  readonly keyed: boolean;
}

/** Compiles a schema. It has passed validation, so that its depth is limited and the recursion safe. */
export function structuralOf(schema: JsonSchema): Structural {
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, structuralOf(property)]),
  );
  const itemSchema = itemsOf(schema);
  const items = itemSchema === undefined ? undefined : structuralOf(itemSchema);
  const additionalSchema = additionalOf(schema);
  const additional = additionalSchema === undefined ? undefined : structuralOf(additionalSchema);
  // Flags of the parts are collected once here, so that walks need not look into parts that do not concern them.
  const children = [...properties.values(), ...(items === undefined ? [] : [items])].concat(additional ?? []);
  const hasDefault = schema.default !== undefined && schema.default !== null;
  const embedded = schema["x-orchernetes-embedded-resource"] === true;
  const listType = schema["x-orchernetes-list-type"];
  return {
    schema,
    properties,
    items,
    additional,
    open: schema.additionalProperties !== undefined,
    nullable: schema.nullable === true,
    hasDefault,
    preserve: schema["x-orchernetes-preserve-unknown-fields"] === true,
    embedded,
    defaulted: new Map([...properties].filter(([, property]) => property.hasDefault)),
    defaults: hasDefault || children.some((child) => child.defaults),
    embeds: embedded || children.some((child) => child.embeds),
    keyed: listType === "set" || listType === "map" || children.some((child) => child.keyed),
  };
}

/**
 * Whether a value is a null that the schema does not allow.
 *
 * Clients written in Go send null for a field without `omitempty` that is not set. Such a null is replaced by the default, or else dropped
 * (KEP-575), rather than rejected; where the schema says `nullable`, null is a value of its own and stays.
 */
export function isForbiddenNull(value: unknown, structural: Structural | undefined): boolean {
  return value === null && structural !== undefined && !structural.nullable;
}

/** The members of a JSON object. */
export type Plain = Readonly<Record<string, unknown>>;

/** A JSON object. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
