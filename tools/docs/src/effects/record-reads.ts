/** The leaves of a tree of settings that were read, by dotted path. */
export interface Reads {
  /** Read by name. */
  readonly direct: ReadonlySet<string>;
  /** Read when a whole group was copied; whether they are used is unknown. */
  readonly copied: ReadonlySet<string>;
}

/** A tree of settings and the record of reads. */
export interface Recorded<T> {
  readonly value: T;
  readonly reads: Reads;
}

/** Groups of settings, as opposed to values: lists, maps and instances of classes are values. */
function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** @param under path of a group whose name is part of each of its paths */
const pathOf = (under: string, name: string): string => (under === "" ? name : `${under}.${name}`);

/** A proxy of the settings that records every read. */
export function recordReads<T extends object>(settings: T): Recorded<T> {
  const direct = new Set<string>();
  const copied = new Set<string>();
  const wrap = (group: object, path: string): object => {
    const copying = new Set<string | symbol>();
    return new Proxy(group, {
      ownKeys(target) {
        // A copy lists all names, and then reads each value once.
        const keys = Reflect.ownKeys(target);
        for (const key of keys) copying.add(key);
        return keys;
      },
      get(target, key, receiver) {
        const value: unknown = Reflect.get(target, key, receiver);
        if (typeof key !== "string" || !Object.hasOwn(target, key)) return value;
        const place = pathOf(path, key);
        const isCopy = copying.delete(key);
        // Groups in groups are read when something of them is.
        if (isGroup(value)) return wrap(value, place);
        (isCopy ? copied : direct).add(place);
        return value;
      },
    });
  };
  return { value: wrap(settings, "") as T, reads: { direct, copied } };
}

/** Every leaf of a tree of settings, as a text that is the same for equal values; functions are left out. */
function leavesOf(settings: unknown, under = ""): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  if (!isGroup(settings)) return leaves;
  for (const [name, value] of Object.entries(settings)) {
    const path = pathOf(under, name);
    if (isGroup(value)) for (const [inner, text] of leavesOf(value, path)) leaves.set(inner, text);
    else if (typeof value !== "function") leaves.set(path, textOf(value));
  }
  return leaves;
}

function textOf(value: unknown): string {
  if (value instanceof Map || value instanceof Set) return textOf([...value]);
  return (
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner)) ?? "undefined"
  );
}

/** Paths whose leaves differ between two trees. */
export function changedPaths(before: unknown, after: unknown): readonly string[] {
  const [a, b] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path));
}
