import { setOwn } from "./json.ts";

/**
 * What is written for an absent value that must be written: a constant, or a new value each time. Undefined means
 * nothing.
 */
export type Absent = { readonly constant: unknown } | { readonly make: () => unknown } | undefined;

/** Creates an object from field values in slots; undefined slots are absent. */
export type Builder = (slots: readonly unknown[]) => Record<string, unknown>;

/**
 * Compiles the builder for fields of these names.
 *
 * The function is generated: with the names as constants the engine keeps the objects in its compact form. Built in a
 * loop, objects of more than a dozen fields become hash tables, which take twice the time to stringify and more
 * memory, and the trees in informer caches consist of such objects. Names enter the code as JSON strings only, so
 * that a name cannot inject code.
 */
export function compileBuilder(names: readonly string[], absent: readonly Absent[]): Builder {
  const lines = names.map((name, i) => {
    const rule = absent[i];
    const otherwise = rule === undefined ? undefined : "make" in rule ? `absent[${i}].make()` : `absent[${i}].constant`;
    const store = (value: string) =>
      name === "__proto__" ? `setOwn(out, "__proto__", ${value})` : `out[${JSON.stringify(name)}] = ${value}`;
    return otherwise === undefined
      ? `v = slots[${i}]; if (v !== undefined) ${store("v")};`
      : `v = slots[${i}]; ${store(`v !== undefined ? v : ${otherwise}`)};`;
  });
  const body = `"use strict"; return (slots) => { const out = {}; let v; ${lines.join("\n")} return out; };`;
  return new Function("absent", "setOwn", body)(absent, setOwn) as Builder;
}
