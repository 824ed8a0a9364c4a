import { expect, test } from "vitest";
import { applyDefaults } from "./defaults.ts";
import { structuralOf } from "./structural.ts";

const items = (size: number) =>
  structuralOf({
    type: "object",
    properties: {
      list: {
        type: "array",
        items: { type: "object", properties: { a: { type: "string", default: "x".repeat(size) } } },
      },
    },
  });
const listOf = (count: number) => ({ list: Array.from({ length: count }, () => ({})) });

test("defaults that multiply are rejected before they exhaust the memory", () => {
  expect(() => applyDefaults(listOf(100_000), items(1000))).toThrow(
    "the defaults of its definition would add more than 3145728 characters",
  );
  const small = listOf(1000);
  applyDefaults(small, items(1000));
  expect(small.list.every((item) => (item as { a?: string }).a?.length === 1000)).toBe(true);
});

test("an object is not walked along all properties that its schema has", () => {
  let asked = 0;
  const structural = structuralOf({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, { type: "string" }])),
  });
  const counting = {
    ...structural,
    defaults: true,
    properties: new Proxy(structural.properties, {
      get: (target, name) => {
        if (name === Symbol.iterator) asked++;
        const found: unknown = Reflect.get(target, name);
        return typeof found === "function" ? found.bind(target) : found;
      },
    }),
  };
  applyDefaults({ p1: "a" }, counting);
  expect(asked).toBe(0);
});
