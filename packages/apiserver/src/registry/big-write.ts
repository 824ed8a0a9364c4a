import { requestEntityTooLarge } from "@orchernetes/apimachinery";

/**
 * Size of a request or stored object, in bytes, from which a write yields between its steps. Smaller objects take less
 * than a few milliseconds in all, where the turns would cost more than they give.
 */
const bigFromBytes = 32 * 1024;

/**
 * Maximum size of an object after defaulting, in characters of JSON: more than twice the default limit of stores. Defaulting can
 * expand a short request: each `{}` in a list of containers becomes two hundred characters.
 */
const maxObjectCharacters = 4 * 1024 * 1024;

/**
 * Whether a write with a body, or to a stored object, of so many bytes yields to the event loop between steps that each process the
 * whole object: a step is linear and takes about 100 ms at most, but all of them together may take a second.
 */
export function isBig(bytes: number): boolean {
  return bytes >= bigFromBytes;
}

/** @throws ApiError RequestEntityTooLarge when an object is larger than anything that can be stored */
export function checkExtent(object: unknown, bytes: number): void {
  if (isBig(bytes) && isLongerThan(object, maxObjectCharacters))
    throw requestEntityTooLarge(
      `the object has more than ${maxObjectCharacters} characters with its defaults filled in`,
    );
}

/**
 * Whether the JSON of a value has more than `most` characters. It counts instead of writing the text, stops at the
 * limit, and does not recurse: the value comes from a client and may be nested deeply. The count is approximate
 * (escapes and numbers are not measured).
 */
function isLongerThan(root: unknown, most: number): boolean {
  let left = most;
  const todo: unknown[] = [root];
  while (todo.length > 0 && left >= 0) {
    const value = todo.pop();
    if (typeof value === "string") left -= value.length + 3;
    else if (typeof value !== "object" || value === null) left -= 5;
    else if (Array.isArray(value)) {
      left -= 2 + value.length;
      for (let i = 0; i < value.length && left >= 0; i++) todo.push(value[i]);
    } else {
      left -= 2;
      for (const key in value) {
        left -= key.length + 4;
        if (left < 0) break;
        todo.push((value as Readonly<Record<string, unknown>>)[key]);
      }
    }
  }
  return left < 0;
}
