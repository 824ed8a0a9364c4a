import { setImmediate as untilNextTurn } from "node:timers/promises";
import { requestEntityTooLarge } from "@orchernetes/apimachinery";

/** Requests and stored objects below this many bytes are worked on in one go. */
const bigFromBytes = 32 * 1024;

/**
 * Characters of JSON that an object may have once its defaults are in: more than twice what stores take unless they are told
 * otherwise. A short request can stand for much more: each `{}` in a list of containers becomes two hundred characters.
 */
const maxObjectCharacters = 4 * 1024 * 1024;

/** Whether a write of a body, or to a stored object, of so many bytes is worked on in several turns of the event loop. */
export function isBig(bytes: number): boolean {
  return bytes >= bigFromBytes;
}

/**
 * Resolves in another turn of the event loop. Big writes ask for one between any two steps that each look at the whole object: a
 * step is linear and takes some 100 ms at most, all of them together may take a second.
 */
export function nextTurn(): Promise<void> {
  return untilNextTurn();
}

/** What steps come to; big ones take a turn each. */
export async function inTurns<T>(steps: Generator<undefined, T>, big: boolean): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (big) await nextTurn();
  }
}

/** @throws ApiError RequestEntityTooLarge when an object is larger than anything that can be stored */
export function checkExtent(object: unknown, bytes: number): void {
  if (isBig(bytes) && isLongerThan(object, maxObjectCharacters))
    throw requestEntityTooLarge(
      `the object has more than ${maxObjectCharacters} characters with its defaults filled in`,
    );
}

/** Whether the JSON of a value has more than so many characters; stops there. Does not recurse. */
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
