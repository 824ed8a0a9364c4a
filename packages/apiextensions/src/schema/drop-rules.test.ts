import type { apiextensions } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { dropRules } from "./drop-rules.ts";

const rules = { "x-orchernetes-validations": [{ rule: "true" }] };

const definition = (openAPIV3Schema: object) =>
  ({
    spec: { versions: [{ name: "v0" }, { name: "v1", schema: { openAPIV3Schema } }] },
  }) as unknown as Draft<apiextensions.CustomResourceDefinition>;
const dropped = (schema: object, old?: object) => {
  const draft: ReturnType<typeof definition> = JSON.parse(JSON.stringify(definition(schema)));
  dropRules(draft, old && (definition(old) as apiextensions.CustomResourceDefinition));
  return draft.spec.versions[1]?.schema?.openAPIV3Schema;
};

test("rules are removed wherever they stand, and nothing else is", () => {
  const with_ = (more: object) => ({
    ...more,
    properties: { a: { ...more, items: { ...more } }, items: { additionalProperties: { ...more } }, default: more },
    allOf: [{ ...more, not: { ...more } }],
    items: [more, { ...more }],
    dependencies: { a: ["b"], b: { ...more } },
    default: rules,
    enum: [rules],
  });
  expect(dropped(with_(rules))).toEqual(with_({}));
});

test("a definition that has rules already keeps them", () => {
  const old = { properties: { a: rules } };
  expect(dropped({ ...rules, type: "object" }, old)).toEqual({ ...rules, type: "object" });
  expect(dropped({ ...rules, type: "object" }, { properties: { a: {} } })).toEqual({ type: "object" });
});
