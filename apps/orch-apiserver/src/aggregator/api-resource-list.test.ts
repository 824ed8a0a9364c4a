import { expect, test } from "vitest";
import { parseApiResourceList } from "./api-resource-list.ts";

const parse = (value: unknown) => parseApiResourceList(Buffer.from(JSON.stringify(value)));

test("takes over what belongs in a list, whatever else was sent", () => {
  const widget = {
    name: "widgets",
    singularName: "widget",
    namespaced: true,
    kind: "Widget",
    verbs: ["get", 1],
    x: {},
  };
  const odd = { name: "odd", namespaced: "yes", verbs: "all", shortNames: { a: 1 }, group: "g" };
  expect(parse({ resources: [widget, odd, null, 1, "x", {}, { name: 5 }] })).toEqual([
    {
      name: "widgets",
      singularName: "widget",
      namespaced: true,
      kind: "Widget",
      verbs: ["get"],
      shortNames: [],
      categories: [],
    },
    {
      name: "odd",
      singularName: "",
      namespaced: false,
      kind: "",
      group: "g",
      verbs: [],
      shortNames: [],
      categories: [],
    },
  ]);
});

test.each([[null], [[]], [{}], [{ resources: {} }], ["text"]])("refuses %j", (value) => {
  expect(() => parse(value)).toThrow("found no APIResourceList");
});
