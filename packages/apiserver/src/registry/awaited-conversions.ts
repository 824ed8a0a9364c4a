import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";

/**
 * Converts an object synchronously, or throws to stop the work until the conversion is available (see {@link
 * withConversions}).
 */
export type ConvertAtOnce = (object: ApiObject, from: ResourceDefinition, to: ResourceDefinition) => ApiObject;

/**
 * Limit of conversions for one piece of work. Managed fields need about four for each version that managers name, so
 * this is reached only by objects with dozens of versions, or by a webhook whose result differs each time.
 */
const MAX_CONVERSIONS = 200;

/**
 * Thrown by {@link ConvertAtOnce} through the work, to stop it. It carries everything that the missing conversion
 * needs.
 */
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
 * Runs synchronous work although a webhook performs the conversions that it needs. Whenever one is missing, the work is
 * stopped by an exception, the webhook is called, and the work starts again from the beginning with that result at
 * hand.
 *
 * Field ownership is the reason: merging is a recursive, synchronous algorithm that converts in its depth, and for
 * built-in kinds, whose conversions are functions, it should stay that way. The work must have no side effects and must
 * request the same conversions each time.
 *
 * @param convert calls the webhook
 * @param work gets the lookup of finished conversions; called once more for each of them
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
