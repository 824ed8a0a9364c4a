import type { apiextensions } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { definition } from "../../test/harness.ts";
import { approvalOf, isProtectedGroup } from "./api-approval.ts";
import { conditionOf, says, setCondition } from "./conditions.ts";
import { applyDefinitionDefaults } from "./defaults.ts";

type Drafted = Draft<apiextensions.CustomResourceDefinition>;

const draft = (spec: object = {}): Drafted => ({
  ...definition({ kind: "Foo", plural: "foos", spec }),
  status: { acceptedNames: { plural: "", kind: "" } },
});

test("a definition gets its defaults", () => {
  const made = draft();
  applyDefinitionDefaults(made);
  expect(made.spec.names).toMatchObject({ singular: "foo", listKind: "FooList" });
  expect(made.spec.conversion).toEqual({ strategy: "None" });
  expect(made.status.storedVersions).toEqual(["v1"]);
  const before = structuredClone(made);
  applyDefinitionDefaults(made);
  expect(made).toEqual(before);
});

test("conversion webhooks are called at port 443 by default", () => {
  const service = { namespace: "a", name: "b" };
  const made = draft({
    conversion: { strategy: "Webhook", webhook: { clientConfig: { service }, conversionReviewVersions: ["v1"] } },
  });
  applyDefinitionDefaults(made);
  expect(made.spec.conversion?.webhook?.clientConfig?.service?.port).toBe(443);
});

test.each([
  ["o8s.io", true],
  ["a.o8s.io", true],
  ["apps.orchernetes.io", true],
  ["notorchernetes.io", false],
  ["o8s.io.example.com", false],
])("group %s is protected: %s", (group, want) => {
  expect(isProtectedGroup(group)).toBe(want);
});

test.each([
  [undefined, "missing"],
  ["", "missing"],
  ["https://example.com/review/1", "approved"],
  ["unapproved, an experiment", "unapproved"],
  ["yes", "invalid"],
])("approval %j is %s", (text, state) => {
  const annotations = text === undefined ? {} : { "api-approved.orchernetes.io": text };
  expect(approvalOf({ metadata: { annotations } } as unknown as apiextensions.CustomResourceDefinition).state).toBe(
    state,
  );
});

test("the time of a condition is that of its last change of status", () => {
  const made = draft();
  const of = (status: "True" | "False", message: string) =>
    ({ type: "Established", status, reason: "R", message }) as const;
  const at = (second: number) => new Date(second * 1000);
  const time = () => conditionOf(made as apiextensions.CustomResourceDefinition, "Established")?.lastTransitionTime;
  setCondition(made, of("False", "a"), at(1));
  expect(time()).toBe("1970-01-01T00:00:01Z");
  setCondition(made, of("False", "b"), at(2));
  expect(time()).toBe("1970-01-01T00:00:01Z");
  expect(says(made as apiextensions.CustomResourceDefinition, of("False", "b"))).toBe(true);
  setCondition(made, of("True", "b"), at(3));
  expect(time()).toBe("1970-01-01T00:00:03Z");
  expect(made.status.conditions).toHaveLength(1);
});
