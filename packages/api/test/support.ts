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

/** Request context for strategies in tests: a fixed time, every feature gate enabled, privileged containers allowed. */
export const context: StrategyContext = {
  now: new Date("2026-01-01T00:00:00Z"),
  user: { name: "tester", groups: ["testers"] },
  featureEnabled: () => true,
  allowPrivileged: true,
};

/** The context with the named feature gates disabled and all others enabled. */
export const without = (...gates: readonly string[]): StrategyContext => ({
  ...context,
  featureEnabled: (gate) => !gates.includes(gate),
});

/** Formats each error as `field: message`. */
export const texts = (errors: readonly FieldError[]): string[] =>
  errors.map((error) => `${error.field}: ${error.message}`);

/** Decodes the input, applies the defaults and puts the members in canonical order, as the server does. */
export function defaulted<T extends ApiObject>(definition: ResourceDefinition<T>, input: unknown): T {
  const object = structuredClone(decoderFor(definition.schema).decode(input));
  definition.applyDefaults?.(object as Draft<T>);
  return canonicalize(definition.schema, object);
}

/**
 * Runs the steps of a create: decoding, defaults, `prepareForCreate`, validation.
 *
 * @returns the prepared object, and the validation errors as `field: message`; admission is not run
 */
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

/**
 * Runs the steps of an update of `old`: decoding, defaults, `prepareForUpdate`, validation.
 *
 * @param strategy - strategy of a subresource; default is that of the main resource
 * @returns the prepared object, and the validation errors as `field: message`
 */
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

/** Strategy of a subresource such as `status`. Throws if the resource has no such subresource, or one without a strategy. */
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

/** Cells of the object's row in a Table response, one for each column. */
export function row<T extends ApiObject>(definition: ResourceDefinition<T>, input: unknown): unknown[] {
  const object = defaulted(definition, input);
  return definition.columns.map((column) => column.value(object, context.now));
}

/** Applies a JSON merge patch (RFC 7386) to a copy of the base. Neither argument is changed. */
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
