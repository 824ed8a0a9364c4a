import {
  type ApiObject,
  canonicalize,
  type Draft,
  decoderFor,
  type FieldError,
  type ResourceDefinition,
  type StrategyContext,
  type UpdateStrategy,
} from "@orchernetes/apimachinery";

/** What strategies see of a request in tests. */
export const context: StrategyContext = {
  now: new Date("2026-01-01T00:00:00Z"),
  user: { name: "tester", groups: ["testers"] },
  featureEnabled: () => true,
  allowPrivileged: true,
};

/** The context with some features off, all others on. */
export const without = (...gates: readonly string[]): StrategyContext => ({
  ...context,
  featureEnabled: (gate) => !gates.includes(gate),
});

/** `field: message`, the way people read errors. */
export const texts = (errors: readonly FieldError[]): string[] =>
  errors.map((error) => `${error.field}: ${error.message}`);

/** The object as the server has it after decoding and defaulting. */
export function defaulted<T extends ApiObject>(definition: ResourceDefinition<T>, input: unknown): T {
  const object = structuredClone(decoderFor(definition.schema).decode(input));
  definition.applyDefaults?.(object as Draft<T>);
  return canonicalize(definition.schema, object);
}

/** What a create makes of the input, and its errors. */
export function create<T extends ApiObject>(
  definition: ResourceDefinition<T>,
  input: unknown,
  uid = "u1",
  ctx = context,
): { readonly object: T; readonly errors: string[] } {
  const object = structuredClone(defaulted(definition, input));
  if (definition.storagePrefix !== undefined) {
    (object as Draft<ApiObject>).metadata.uid = uid;
  }
  definition.strategy.prepareForCreate?.(object as Draft<T>, ctx);
  return { object, errors: texts(definition.strategy.validate?.(object, ctx) ?? []) };
}

/** What an update of `old` to the input makes, and its errors; `strategy` is that of a subresource. */
export function update<T extends ApiObject>(
  definition: ResourceDefinition<T>,
  old: T,
  input: unknown,
  strategy: UpdateStrategy<T> = definition.strategy,
  ctx = context,
): { readonly object: T; readonly errors: string[] } {
  const object = structuredClone(defaulted(definition, input));
  strategy.prepareForUpdate?.(object as Draft<T>, old, ctx);
  return { object, errors: texts(strategy.validateUpdate?.(object, old, ctx) ?? []) };
}

/** The strategy of a status-like subresource. */
export function subresourceStrategy<T extends ApiObject>(
  definition: ResourceDefinition<T>,
  name: string,
): UpdateStrategy<T> {
  const subresource = definition.subresources?.[name];
  if (subresource === undefined || !("strategy" in subresource)) {
    throw new Error(`${definition.plural} has no subresource ${name} with a strategy`);
  }
  return subresource.strategy;
}

/** The cells of an object's table row. */
export function row<T extends ApiObject>(definition: ResourceDefinition<T>, input: unknown): unknown[] {
  const object = defaulted(definition, input);
  return definition.columns.map((column) => column.value(object, context.now));
}

/** A copy with some members replaced, deeply (RFC 7386). */
export function merged(base: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) {
    return patch;
  }
  const result: Record<string, unknown> =
    typeof base === "object" && base !== null && !Array.isArray(base) ? { ...base } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key];
    } else {
      result[key] = merged(result[key], value);
    }
  }
  return result;
}
