import { parseQuantity, type Quantity } from "./quantity.ts";

/**
 * Number of entries at which a cache is cleared: a cluster uses few different texts, and hostile ones must not
 * accumulate.
 */
const cacheLimit = 4096;

function cached<T>(compute: (text: string) => T): (text: string) => T {
  let cache = new Map<string, T>();
  return (text) => {
    const known = cache.get(text);
    if (known !== undefined) {
      return known;
    }
    const made = compute(text);
    if (cache.size >= cacheLimit) {
      cache = new Map();
    }
    if (text.length <= 64) {
      cache.set(text, made);
    }
    return made;
  };
}

/** {@link parseQuantity} with a cache; quantities are immutable, so sharing them is safe. */
export const quantityOf: (text: string) => Quantity = cached(parseQuantity);

/**
 * The amount of a quantity's text as a whole number, rounded away from zero (bytes of memory, pods).
 *
 * @throws QuantityError
 */
export const wholeValueOf: (text: string) => number = cached((text) => parseQuantity(text).value());

/**
 * The amount of a quantity's text in thousandths, rounded away from zero (CPU).
 *
 * @throws QuantityError
 */
export const milliValueOf: (text: string) => number = cached((text) => parseQuantity(text).milliValue());

/** Numbers of up to three digits are canonical already and need no parsing. */
const plainInteger = /^[1-9][0-9]{0,2}$/;

const canonicalCached = cached((text) => parseQuantity(text).canonical());

/**
 * The canonical form of a quantity's text.
 *
 * @throws QuantityError
 */
export function canonicalQuantity(text: string): string {
  return plainInteger.test(text) ? text : canonicalCached(text);
}
