/**
 * Settings of flags that take precedence over a configuration file.
 *
 * @example
 * ```ts
 * import { overlay } from "@orchernetes/config/overlay";
 *
 * overlay({ a: { b: 1, c: 2 } }, new Map([["a.b", 3]])); // { a: { b: 3, c: 2 } }
 * ```
 *
 * @module
 */

/**
 * Returns a copy of a document in which the given fields, by dotted path, have the given values. Whole fields are
 * replaced, not merged: a flag that is set is the only source of its field. Missing objects on the path are created;
 * the document itself is not modified.
 */
export function overlay(document: unknown, settings: ReadonlyMap<string, unknown>): unknown {
  if (settings.size === 0) return document;
  let result = document;
  for (const [path, value] of settings) result = assign(result, path.split("."), value);
  return result;
}

function assign(target: unknown, path: readonly string[], value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  const entries = typeof target === "object" && target !== null && !Array.isArray(target) ? Object.entries(target) : [];
  const inner = entries.find(([key]) => key === head)?.[1];
  // fromEntries defines properties instead of assigning them, so that a key such as __proto__ stays data.
  return Object.fromEntries([...entries.filter(([key]) => key !== head), [head, assign(inner, rest, value)]]);
}
