import { setOwn } from "@orchernetes/apimachinery";
import type { Random } from "../random.ts";
import { nastyText, trapNames } from "./nasty-text.ts";

// Limits of int32, uint32, int64, safe integers and doubles, and their neighbours.
const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  1e21,
  -1e21,
  5e-324,
  1.7976931348623157e308,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  65536,
  -65536,
  1e9,
];

/**
 * Any JSON value, mostly small.
 * @param depth - levels of lists and objects that it may still nest
 */
export function anyJson(random: Random, depth = 3): unknown {
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(numbers);
    case 3:
    case 4:
      return nastyText(random);
    case 5:
      return random.many(0, 3, () => anyJson(random, depth - 1));
    default: {
      const out: Record<string, unknown> = {};
      for (const key of random.many(0, 3, () => anyKey(random))) setOwn(out, key, anyJson(random, depth - 1));
      return out;
    }
  }
}

function anyKey(random: Random): string {
  return random.chance(0.4) ? random.pick(trapNames) : nastyText(random);
}

/** A value inside the given number of arrays or objects. */
export function nested(random: Random, levels: number): unknown {
  let value: unknown = 1;
  const key = random.pick(["a", "spec", "__proto__"]);
  const list = random.chance(0.5);
  for (let i = 0; i < levels; i++) {
    if (list) value = [value];
    else {
      const out: Record<string, unknown> = {};
      setOwn(out, key, value);
      value = out;
    }
  }
  return value;
}

type Container = Record<string, unknown> | unknown[];
type Place = { readonly container: Container; readonly key: string };

/** Every member and item inside a value, outermost first. */
function placesOf(value: unknown, out: Place[] = []): Place[] {
  if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      out.push({ container: value as Container, key });
      placesOf((value as Record<string, unknown>)[key], out);
    }
  }
  return out;
}

/**
 * A copy with a few changes: members removed, duplicated, swapped, of other types, or with trap names.
 * @param most - largest number of changes
 */
export function mutatedJson(random: Random, value: unknown, most = 4): unknown {
  const root = { value: structuredClone(value) };
  if (random.chance(0.003)) swell(random, root);
  for (let i = 1 + random.below(most); i > 0; i--) mutateOnce(random, root);
  return root.value;
}

const identities: readonly ((i: number) => unknown)[] = [
  (i) => `n${i}`,
  (i) => i,
  (i) => ({ a: i }),
  () => "same",
  (i) => `n${i % 10}`,
];

/**
 * Makes one list very long. Its items differ, or not, in one of their members: this shows work that is quadratic in
 * the number of items.
 */
function swell(random: Random, root: { value: unknown }): void {
  const lists = placesOf(root)
    .map(({ container, key }) => (Array.isArray(container) ? container[Number(key)] : container[key]))
    .filter((value): value is unknown[] => Array.isArray(value));
  if (lists.length === 0) return;
  const list = random.pick(lists);
  const sample: unknown = list[0];
  const identity = random.pick(identities);
  const length = random.size(20_000);
  // Bounds the document to about 1.5 MB, half of what a server accepts.
  if (JSON.stringify(sample ?? null).length * length > 1_500_000) return;
  if (typeof sample !== "object" || sample === null) {
    for (let i = 0; i < length; i++) list.push(identity(i));
    return;
  }
  const keys = Object.keys(sample);
  const key = random.chance(0.5) || keys.length === 0 ? "name" : random.pick(keys);
  for (let i = 0; i < length; i++) {
    // Items must not share anything: code that changes one item would change all of them.
    const item = structuredClone(sample) as Record<string, unknown>;
    setOwn(item, key, identity(i));
    list.push(item);
  }
}

function mutateOnce(random: Random, root: { value: unknown }): void {
  const places = placesOf(root);
  const { container, key } = random.pick(places);
  const current = Array.isArray(container) ? container[Number(key)] : container[key];
  const put = (item: unknown): void => {
    if (Array.isArray(container)) container[Number(key)] = item;
    else setOwn(container, key, item);
  };
  switch (random.below(9)) {
    case 0:
      if (Array.isArray(container)) container.splice(Number(key), 1);
      else if (container !== root) delete container[key];
      return;
    case 1:
      put(anyJson(random));
      return;
    case 2:
      put(nastyText(random));
      return;
    case 3:
      put(random.pick(numbers));
      return;
    case 4: {
      const other = random.pick(places);
      put(
        structuredClone(
          Array.isArray(other.container) ? other.container[Number(other.key)] : other.container[other.key],
        ),
      );
      return;
    }
    case 5:
      if (Array.isArray(current) && current.length > 0 && JSON.stringify(current).length < 2000) {
        for (let n = random.size(40); n > 0; n--) current.push(structuredClone(random.pick(current)));
      } else put([current]);
      return;
    case 6:
      if (typeof current === "object" && current !== null && !Array.isArray(current)) {
        setOwn(current as Record<string, unknown>, anyKey(random), anyJson(random));
      } else put({ [nastyText(random)]: current });
      return;
    case 7:
      put(nested(random, random.size(1500)));
      return;
    default:
      put(null);
  }
}
