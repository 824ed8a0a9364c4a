import { storageClass } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { defaultClassOf } from "./default-class.ts";

const made = (name: string, created: string, prefix = "storageclass.", value = "true") =>
  storageClass(name, {
    metadata: { creationTimestamp: created, annotations: { [`${prefix}orchernetes.io/is-default-class`]: value } },
  });

test.each([
  ["none", [storageClass("a")], undefined],
  ["the one", [storageClass("a"), made("b", "2024-01-01T00:00:00Z")], "b"],
  ["by the old name", [made("b", "2024-01-01T00:00:00Z", "storageclass.beta.")], "b"],
  ["said not to be", [made("b", "2024-01-01T00:00:00Z", "storageclass.", "false")], undefined],
  ["the youngest", [made("a", "2024-01-02T00:00:00Z"), made("b", "2024-01-01T00:00:00Z")], "a"],
  ["the first by name", [made("b", "2024-01-01T00:00:00Z"), made("a", "2024-01-01T00:00:00Z")], "a"],
])("default class: %s", (_, classes, want) => {
  expect(defaultClassOf(classes)?.metadata.name).toBe(want);
});
