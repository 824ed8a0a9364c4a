import { callLibrary } from "../values/library-call.ts";
import { offsetOfCharacter } from "../values/texts.ts";
import { characters, Failure, listValue, type Outcome, type Value } from "../values/value.ts";
import type { Implementation } from "./environment.ts";

const noOverload = (): Failure => new Failure("no such overload");
const outOfRange = (index: bigint): Failure => new Failure(`index out of range: ${index}`);

/**
 * The character at a position. Functions of texts count code points, as Go's runes, where the library counts UTF-16 units: an emoji is one
 * character. The end of the text is a valid position, of an empty text.
 */
export function charAt(text: Value, index: Value): Outcome {
  if (typeof text !== "string" || typeof index !== "bigint") return noOverload();
  const offset = offsetOfCharacter(text, index);
  if (offset === undefined) return outOfRange(index);
  return offset === text.length ? "" : String.fromCodePoint(text.codePointAt(offset) ?? 0);
}

/** The characters from a position to the one before another position, or to the end. */
export function substring(text: Value, start: Value, end?: Value): Outcome {
  if (typeof text !== "string" || typeof start !== "bigint") return noOverload();
  if (typeof end === "bigint" && start > end)
    return new Failure(`invalid substring range. start: ${start}, end: ${end}`);
  const from = offsetOfCharacter(text, start);
  if (from === undefined) return outOfRange(start);
  if (end === undefined) return text.slice(from);
  if (typeof end !== "bigint") return noOverload();
  const to = offsetOfCharacter(text, end);
  return to === undefined ? outOfRange(end) : text.slice(from, to);
}

/** Where a text is first in another one, from a character on; an empty one is found there, whatever the number is. */
export function indexInText(text: Value, wanted: Value, from: Value = 0n): Outcome {
  if (typeof text !== "string" || typeof wanted !== "string" || typeof from !== "bigint") return noOverload();
  if (wanted === "") return from;
  const offset = offsetOfCharacter(text, from);
  if (offset === undefined || offset === text.length) return outOfRange(from);
  return characterAt(text, text.indexOf(wanted, offset));
}

/** Where a text is last in another one, up to a character. */
export function lastIndexInText(text: Value, wanted: Value, upTo?: Value): Outcome {
  if (typeof text !== "string" || typeof wanted !== "string") return noOverload();
  const last = upTo ?? BigInt(characters(text)) - (wanted === "" ? 0n : 1n);
  if (typeof last !== "bigint") return noOverload();
  if (wanted === "") return last;
  const offset = offsetOfCharacter(text, last);
  if (offset === undefined || offset === text.length) return outOfRange(last);
  return characterAt(text, text.lastIndexOf(wanted, offset));
}

/** The number of the character at an offset; -1 if nothing was found. */
const characterAt = (text: string, offset: number): bigint =>
  offset < 0 ? -1n : BigInt(characters(text.slice(0, offset)));

/** Replaces all, or the first `limit`, occurrences; an empty text is found before every character and at the end. */
export function replace(text: Value, old: Value, by: Value, limit: Value = -1n): Outcome {
  if (typeof text !== "string" || typeof old !== "string" || typeof by !== "string") return noOverload();
  if (typeof limit !== "bigint") return callLibrary("replace", text, [old, by, limit]);
  const parts = old === "" ? ["", ...text] : text.split(old);
  if (old === "") parts.push("");
  const gaps = limit < 0n || limit > BigInt(parts.length) ? parts.length - 1 : Number(limit);
  const replaced = parts.slice(0, gaps + 1).join(by);
  return replaced + (gaps + 1 < parts.length ? old + parts.slice(gaps + 1).join(old) : "");
}

/** Parts between separators; an empty one separates all characters. */
export function split(text: string, separator: string, limit: Value = -1n): Outcome {
  if (typeof limit !== "bigint") return noOverload();
  const parts = separator === "" ? [...text] : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return listValue(parts);
  if (limit === 0n) return listValue([]);
  const kept = parts.slice(0, Number(limit) - 1);
  return listValue([...kept, parts.slice(kept.length).join(separator)]);
}

/** Only A to Z change: other letters depend on the language, and the results on the version of Unicode. */
export const lowerAscii = (text: Value): Outcome =>
  typeof text === "string" ? text.replace(/[A-Z]+/g, (found) => found.toLowerCase()) : noOverload();

export const upperAscii = (text: Value): Outcome =>
  typeof text === "string" ? text.replace(/[a-z]+/g, (found) => found.toUpperCase()) : noOverload();

/** A function of two texts, for example of a text and a pattern. */
export const ofTexts =
  (run: (text: string, other: string, ...more: readonly Value[]) => Outcome): Implementation =>
  (text = null, other = null, ...more) =>
    typeof text === "string" && typeof other === "string" ? run(text, other, ...more) : noOverload();
