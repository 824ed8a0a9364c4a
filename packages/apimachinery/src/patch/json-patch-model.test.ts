import { expect, test } from "vitest";
import { seededNumbers } from "../seeded-numbers.ts";
import { applyJsonPatch } from "./json-patch.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

const random = seededNumbers(27);
const one = <T>(...from: readonly T[]): T => from[random(from.length)] as T;
const names = ["a", "b", "a/b", "m~n", "", "0", "1", "-", "constructor"] as const;

function value(depth: number): Json {
  const kind = random(depth > 2 ? 3 : 6);
  if (kind === 0) return one<Json>(null, true, 0, "x");
  if (kind < 3) return random(3);
  const items = Array.from({ length: random(4) }, () => value(depth + 1));
  return kind === 3 ? items : Object.fromEntries(items.map((item, i) => [names[(i + random(9)) % 9] ?? "", item]));
}

/** Mostly a path that exists, or that names a place beside one. */
function pointer(document: Json): string {
  let at: Json = document;
  const steps: string[] = [];
  while (typeof at === "object" && at !== null && random(4) > 0) {
    const known: readonly string[] = Array.isArray(at) ? [...at.map((_, i) => String(i)), "-"] : Object.keys(at);
    const step = random(6) === 0 || known.length === 0 ? one(...names) : one(...known);
    steps.push(step.replaceAll("~", "~0").replaceAll("/", "~1"));
    at = (at as Record<string, Json>)[step] ?? null;
    if (!Object.hasOwn(Object(at), "x") && at === null) break;
  }
  return steps.map((step) => `/${step}`).join("");
}

/** RFC 6902 by copies of the whole document, with what clients of Kubernetes rely on: replace makes a member, test takes absent for null. */
function model(start: Json, operations: readonly Operation[]): Json | undefined {
  let document: Json | undefined = structuredClone(start);
  const parse = (path: string) =>
    path
      .split("/")
      .slice(1)
      .map((step) => step.replace(/~[01]/g, (c) => (c === "~0" ? "~" : "/")));
  const read = (path: string): Json | undefined =>
    parse(path).reduce<Json | undefined>((at, step) => {
      if (Array.isArray(at)) return /^(0|[1-9]\d*)$/.test(step) ? at[Number(step)] : undefined;
      return typeof at === "object" && at !== null && Object.hasOwn(at, step) ? at[step] : undefined;
    }, document);
  /** False: there is no such place. */
  const write = (path: string, put: (parent: Json[] | Record<string, Json>, step: string) => boolean): boolean => {
    const steps = parse(path);
    const last = steps.pop() ?? "";
    const parent = read(steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
    return typeof parent === "object" && parent !== null && put(parent, last);
  };
  const add = (path: string, item: Json): boolean => {
    if (path === "") {
      document = item;
      return true;
    }
    return write(path, (parent, step) => {
      if (!Array.isArray(parent))
        return Boolean(
          Object.defineProperty(parent, step, { value: item, writable: true, enumerable: true, configurable: true }),
        );
      const index = step === "-" ? parent.length : /^(0|[1-9]\d*)$/.test(step) ? Number(step) : -1;
      if (index < 0 || index > parent.length) return false;
      parent.splice(index, 0, item);
      return true;
    });
  };
  const remove = (path: string): boolean =>
    path !== "" &&
    read(path) !== undefined &&
    write(path, (parent, step) =>
      Array.isArray(parent) ? parent.splice(Number(step), 1).length === 1 : delete parent[step],
    );
  for (const { op, path, from = "", value: item = null } of structuredClone(operations)) {
    const moved = op === "move" || op === "copy" ? structuredClone(read(from)) : undefined;
    let done = false;
    if (op === "add") done = add(path, item);
    else if (op === "remove") done = remove(path);
    else if (op === "replace")
      done =
        path === ""
          ? add(path, item)
          : write(path, (parent, step) => {
              if (Array.isArray(parent) && (!/^(0|[1-9]\d*)$/.test(step) || Number(step) >= parent.length))
                return false;
              (parent as Record<string, Json>)[step] = item;
              return true;
            });
    else if (op === "copy") done = moved !== undefined && add(path, moved);
    else if (op === "move") done = moved !== undefined && remove(from) && add(path, moved);
    else if (op === "test") done = same(read(path) ?? null, item);
    if (!done) return undefined;
  }
  return document;
}

function same(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    keys.length === others.length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        same((a as Record<string, Json>)[key] ?? null, (b as Record<string, Json>)[key] ?? null),
    )
  );
}

test("20,000 random JSON patches do what a plain model of RFC 6902 does", () => {
  let applied = 0;
  for (let i = 0; i < 20_000; i++) {
    const document: Json = { a: value(0), b: [value(1), value(1)], "a/b": { "m~n": value(2) } };
    const operations = Array.from({ length: 1 + random(3) }, (): Operation => {
      const op = one("add", "remove", "replace", "move", "copy", "test");
      const path = pointer(document);
      const from = op === "move" || op === "copy" ? { from: pointer(document) } : {};
      return { op, path, ...from, ...(["add", "replace", "test"].includes(op) && { value: value(1) }) };
    });
    // What the original does with these differs by version, and no client relies on it.
    if (
      operations.some(
        ({ op, path, from = "" }) =>
          (op !== "test" && path === "") ||
          (from !== "" && `${path}/`.startsWith(`${from}/`)) ||
          (op !== "test" && from === "" && (op === "move" || op === "copy")),
      )
    )
      continue;
    const want = model(document, operations);
    let found: unknown;
    try {
      found = applyJsonPatch(document, operations);
    } catch {
      found = undefined;
    }
    if (want !== undefined) applied++;
    if (JSON.stringify(found) !== JSON.stringify(want)) expect({ document, operations, found }).toBe(want);
  }
  expect(applied).toBeGreaterThan(2_000);
});

test.each<[Operation, Json]>([
  [{ op: "remove", path: "/a/-1" }, [1, 2]],
  [{ op: "remove", path: "/a/-3" }, [2, 3]],
  [{ op: "add", path: "/a/-1", value: 4 }, [1, 2, 3, 4]],
  [{ op: "add", path: "/a/-4", value: 4 }, [4, 1, 2, 3]],
  [{ op: "replace", path: "/a/-2", value: 4 }, [1, 4, 3]],
  [{ op: "copy", from: "/a/-1", path: "/a/0" }, [3, 1, 2, 3]],
])("indices count from the end of a list, too: %j", (operation, want) => {
  expect(applyJsonPatch({ a: [1, 2, 3] }, [operation])).toEqual({ a: want });
});
