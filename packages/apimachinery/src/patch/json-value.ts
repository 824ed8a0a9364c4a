import { setOwn } from "../codec/json.ts";

/** A JSON object that may be modified. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A deep copy. The parser limits the depth. */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map(cloneJson) as T;
  }
  if (!isObject(value)) {
    return value;
  }
  // The copy of the whole object keeps its compact form, and makes an own property of every key, `__proto__` as well.
  const out: JsonObject = { ...value };
  for (const key in out) {
    const item = out[key];
    if (typeof item === "object" && item !== null) out[key] = cloneJson(item);
  }
  return out as T;
}

/** A copy of the object's own properties; values are shared. */
export function shallowClone(value: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key in value) {
    setOwn(out, key, value[key]);
  }
  return out;
}

/** Deep equality of JSON values; the order of keys does not matter. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) {
    return true;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => equalJson(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) {
    return false;
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]))
  );
}

/** JSON text of a value, the same for values that are {@link equalJson}. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`).join(",")}}`;
}

/** Whether the value nests deeper than `limit` levels. It does not recurse. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) {
      return true;
    }
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === "object" && item !== null) {
        for (const child of Object.values(item)) {
          if (typeof child === "object" && child !== null) {
            next.push(child);
          }
        }
      }
    }
    level = next;
  }
  return false;
}

/** A JSON value as messages contain it: `map[a:1 b:[x y]]`, cut after some hundred characters. */
export function describeJson(value: unknown): string {
  const text = describe(value, 0);
  return text.length > 512 ? `${text.slice(0, 512)}…` : text;
}

function describe(value: unknown, depth: number): string {
  if (depth > 8) {
    return "…";
  }
  if (Array.isArray(value)) {
    return `[${value
      .slice(0, 32)
      .map((item) => describe(item, depth + 1))
      .join(" ")}]`;
  }
  if (isObject(value)) {
    const keys = Object.keys(value).sort().slice(0, 32);
    return `map[${keys.map((key) => `${key}:${describe(value[key], depth + 1)}`).join(" ")}]`;
  }
  return value === null || value === undefined ? "<nil>" : String(value);
}
