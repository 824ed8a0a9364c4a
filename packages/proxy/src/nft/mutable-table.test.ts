import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { renderDifference } from "./batch.ts";
import { differenceOf, isEmptyDifference } from "./difference.ts";
import { MutableTable } from "./mutable-table.ts";
import type { NftTable } from "./table.ts";

const definition = "type ipv4_addr : verdict;";

test("an element that is changed and changed back is no difference", () => {
  const table = new MutableTable({ family: "inet", name: "demo" });
  table.addSet({ kind: "map", name: "m", definition });
  table.setElement("m", "192.0.2.1", "drop");
  table.takeDifference();
  table.setElement("m", "192.0.2.1", "accept");
  table.setElement("m", "192.0.2.2", "accept");
  table.deleteElement("m", "192.0.2.2");
  table.setElement("m", "192.0.2.1", "drop");
  expect(isEmptyDifference(table.takeDifference())).toBe(true);
});

test("a changed value is removed and added in one batch", () => {
  const table = new MutableTable({ family: "inet", name: "demo" });
  table.addSet({ kind: "map", name: "m", definition });
  table.setElement("m", "192.0.2.1", "drop");
  table.takeDifference();
  table.setElement("m", "192.0.2.1", "accept");
  expect(renderDifference(table.takeDifference())).toBe(
    "delete element inet demo m { 192.0.2.1 }\nadd element inet demo m { 192.0.2.1 : accept }\n",
  );
});

test("elements of an absent set are rejected", () => {
  const table = new MutableTable({ family: "inet", name: "demo" });
  expect(() => table.setElement("m", "192.0.2.1", "")).toThrow('no set "m" in table demo');
});

test("after random changes, the difference is the one of the tables before and after", () => {
  const next = seededNumbers(7);
  const table = new MutableTable({ family: "inet", name: "demo" });
  for (let round = 0; round < 300; round++) {
    const before = copyOf(table.table());
    for (let step = next(12); step >= 0; step--) change(table, next);
    const want = differenceOf(before, table.table());
    const got = table.takeDifference();
    expect(normalized(got)).toEqual(normalized(want));
  }
});

function change(table: MutableTable, next: (limit: number) => number): void {
  const name = `s${next(3)}`;
  const exists = table.table().sets.some((set) => set.name === name);
  const chain = `c${next(3)}`;
  const kind = next(8);
  if (kind === 0 && exists) table.removeSet(name);
  else if (kind === 0) table.addSet({ kind: "map", name, definition });
  else if (kind === 1) table.removeChain(chain);
  else if (kind === 2) table.setChain({ name: chain, rules: Array.from({ length: next(3) }, () => `rule ${next(3)}`) });
  else if (kind < 5 && exists) table.deleteElement(name, `e${next(5)}`);
  else if (exists) table.setElement(name, `e${next(5)}`, `v${next(3)}`);
}

const copyOf = (table: NftTable): NftTable => structuredClone(table);

/** The same with lists in an order of their own: which change came first does not matter. */
function normalized(difference: ReturnType<typeof differenceOf>): unknown {
  return Object.entries(difference ?? {}).map(([field, value]) => {
    const texts = Array.isArray(value) ? value.map((item: unknown) => text(item)).sort() : value;
    return [field, texts];
  });
}

const text = (item: unknown): string =>
  JSON.stringify(item, (key, value: unknown) => {
    if (key === "definition" || key === "elements") return undefined;
    if (value instanceof Map) return [...(value as Map<string, string>)].sort();
    return key === "removed" && Array.isArray(value) ? [...(value as string[])].sort() : value;
  });
