import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";

/** Converts an object, or stops the work until it is converted. */
export type ConvertAtOnce = (object: ApiObject, from: ResourceDefinition, to: ResourceDefinition) => ApiObject;

/** Conversions that one piece of work may wait for. Ownership needs about four for each version that managers name. */
const MAX_CONVERSIONS = 200;

/** Stops work that needs an object which is not converted yet. */
class ConversionAwaited extends Error {
  override readonly name = "ConversionAwaited";
  readonly key: string;
  readonly object: ApiObject;
  readonly from: ResourceDefinition;
  readonly to: ResourceDefinition;

  constructor(key: string, object: ApiObject, from: ResourceDefinition, to: ResourceDefinition) {
    super(`${from.kind} in version ${from.version} is not converted to ${to.version} yet`);
    this.key = key;
    this.object = object;
    this.from = from;
    this.to = to;
  }
}

/**
 * Runs work that computes at once, although conversions that it needs take a webhook: whenever one is missing, the work is stopped, and
 * begun again when it is there. The work must have no effects and ask for the same conversions each time.
 *
 * @throws what the conversion or the work throws
 */
export async function withConversions<T>(
  convert: (...asked: Parameters<ConvertAtOnce>) => Promise<ApiObject>,
  work: (converted: ConvertAtOnce) => T | Promise<T>,
): Promise<T> {
  const known = new Map<string, ApiObject>();
  const converted: ConvertAtOnce = (object, from, to) => {
    const key = `${from.version} ${to.version} ${JSON.stringify(object)}`;
    const found = known.get(key);
    if (found === undefined) throw new ConversionAwaited(key, object, from, to);
    return found;
  };
  for (;;) {
    try {
      return await work(converted);
    } catch (error) {
      if (!(error instanceof ConversionAwaited) || known.size >= MAX_CONVERSIONS) throw error;
      known.set(error.key, await convert(error.object, error.from, error.to));
    }
  }
}
