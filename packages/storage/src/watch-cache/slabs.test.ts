import { expect, test } from "vitest";
import { asRevision } from "../revision.ts";
import { CacheEntry } from "./cache-entry.ts";
import { Slabs } from "./slabs.ts";

function table() {
  const byKey = new Map<string, CacheEntry>();
  const slabs = new Slabs((entry) => byKey.get(entry.key) === entry);
  let revision = 0;
  return {
    byKey,
    slabs,
    set(key: string, text: string): CacheEntry {
      const at = asRevision(++revision);
      const entry = new CacheEntry({
        key,
        namespace: "",
        name: key,
        revision: at,
        createRevision: at,
        json: Buffer.from(text),
        labels: undefined,
        fields: {},
      });
      const previous = byKey.get(key);
      byKey.set(key, entry);
      slabs.place(entry);
      if (previous !== undefined) slabs.release(previous);
      return entry;
    },
    delete(key: string): void {
      const previous = byKey.get(key);
      byKey.delete(key);
      if (previous !== undefined) slabs.release(previous);
    },
  };
}

const textOf = (n: number, length: number) => `${n}:`.padEnd(length, String.fromCharCode(97 + (n % 26)));

test("small entries share memory, long ones do not", () => {
  const { set, slabs } = table();
  const entries = Array.from({ length: 100 }, (_, n) => set(`k${n}`, textOf(n, 300)));
  for (const [n, entry] of entries.entries()) expect(entry.json.toString()).toBe(textOf(n, 300));
  expect(new Set(entries.map(({ memory }) => memory)).size).toBeLessThan(12);
  expect(slabs.sizes.live).toBe(30_000);
  const long = set("long", textOf(1, 20_000));
  expect(long.json.toString()).toBe(textOf(1, 20_000));
  expect(long.memory.buffer.byteLength).toBeLessThan(20_100);
  expect(slabs.sizes.live).toBe(30_000);
});

test("entries keep their bytes through replacements and deletions, and most memory stays in use", () => {
  const { set, delete: remove, slabs, byKey } = table();
  const held: { readonly entry: CacheEntry; readonly view: Buffer; readonly text: string }[] = [];
  let random = 1;
  const next = (below: number) => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    return random % below;
  };
  for (let n = 0; n < 20_000; n++) {
    const key = `k${next(500)}`;
    if (next(10) === 0) {
      remove(key);
      continue;
    }
    const text = textOf(n, 20 + next(2000));
    const entry = set(key, text);
    if (n % 50 === 0) held.push({ entry, view: entry.json, text });
  }
  for (const { entry, view, text } of held) {
    expect(entry.json.toString()).toBe(text);
    expect(view.toString()).toBe(text);
  }
  const live = [...byKey.values()].reduce((sum, { length }) => sum + length, 0);
  expect(slabs.sizes.live).toBe(live);
  expect(slabs.sizes.allocated).toBeLessThan(live * 1.5 + 128 * 1024);
  for (const key of [...byKey.keys()]) remove(key);
  expect(slabs.sizes.live).toBe(0);
  expect(slabs.sizes.allocated).toBeLessThanOrEqual(64 * 1024);
});

test("a copy starts anywhere and ends with the target's room", () => {
  const { set } = table();
  set("other", "0123456789");
  const entry = set("k", '{"kind":"Toy"}');
  const target = Buffer.alloc(8, ".");
  expect(entry.copyJson(target, 2, 8)).toBe(6);
  expect(target.toString()).toBe('.."Toy"}');
  expect(entry.copyJson(target, 5, 0)).toBe(3);
  expect(target.toString()).toBe('.."To{"k');
});

test.each([
  { prefix: '{"kind"', length: 7 },
  { prefix: '{"kinds"', length: 0 },
  { prefix: '{"kind":"Toy"}', length: 14 },
  { prefix: '{"kind":"Toy"}}', length: 0 },
])("of a prefix $prefix there are $length bytes", ({ prefix, length }) => {
  const { set } = table();
  set("other", "0123456789");
  const entry = set("k", '{"kind":"Toy"}');
  set("k2", "}");
  expect(entry.lengthOfPrefix(Buffer.from(prefix))).toBe(length);
  expect(entry.lengthOfPrefix(Buffer.from(prefix))).toBe(length);
});

test("few entries that are replaced many times stay complete, even if moving fills a slab", () => {
  const { set, byKey } = table();
  const texts = new Map<string, string>();
  let random = 7;
  for (let n = 0; n < 5000; n++) {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    const key = `k${random % 7}`;
    const text = textOf(n, 200 + (random % 3000));
    texts.set(key, text);
    set(key, text);
    for (const [name, entry] of byKey) expect(entry.json.toString() === texts.get(name)).toBe(true);
  }
});
