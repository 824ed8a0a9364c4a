import { apiextensions } from "@orchernetes/api";
import { canonicalize } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { decideNames } from "./names.ts";

type Names = Partial<apiextensions.CustomResourceDefinitionNames>;

const full = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };

function made(name: string, wanted: Names, accepted: Names, conditions: readonly object[] = []) {
  return canonicalize<apiextensions.CustomResourceDefinition>(apiextensions.CustomResourceDefinition, {
    metadata: { name },
    spec: { group: "example.com", scope: "Cluster", names: { ...full, ...wanted }, versions: [] },
    status: { acceptedNames: accepted, conditions },
  });
}

const other = made(
  "gadgets.example.com",
  {},
  { plural: "gadgets", singular: "gadget", shortNames: ["g"], kind: "Gadget", listKind: "GadgetList" },
);
const established = [{ type: "Established", status: "True" }];

const cases: readonly (readonly [string, Names, Names, string, string, Names])[] = [
  ["free names are accepted", {}, {}, "True", "NoConflicts", full],
  ["a plural that is another's singular", { plural: "gadget" }, {}, "False", "PluralConflict", { ...full, plural: "" }],
  [
    "a singular that is another's short name",
    { singular: "g" },
    { singular: "was" },
    "False",
    "SingularConflict",
    { ...full, singular: "was" },
  ],
  [
    "short names",
    { shortNames: ["w", "g"] },
    { shortNames: ["w"] },
    "False",
    "ShortNamesConflict",
    { ...full, shortNames: ["w"] },
  ],
  ["a kind that is another's list", { kind: "GadgetList" }, {}, "False", "KindConflict", { ...full, kind: "" }],
  ["a list kind", { listKind: "Gadget" }, {}, "False", "ListKindConflict", { ...full, listKind: undefined }],
];

test.each(cases)("%s", (_, wanted, had, status, reason, accepted) => {
  const definition = made("widgets.example.com", wanted, had);
  const decision = decideNames(definition, [definition, other]);
  expect(decision.namesAccepted).toMatchObject({ status, reason });
  expect(decision.acceptedNames).toMatchObject(
    Object.fromEntries(Object.entries(accepted).filter(([, name]) => name !== undefined)),
  );
});

test.each([
  ["accepted ones are installing", {}, [], { status: "False", reason: "Installing" }],
  ["others are not accepted", { kind: "Gadget" }, [], { status: "False", reason: "NotAccepted" }],
  ["established ones stay so, whatever they want now", { kind: "Gadget" }, established, undefined],
])("of definitions, %s", (_, wanted, conditions, want) => {
  const definition = made("widgets.example.com", wanted, {}, conditions);
  const { established: found } = decideNames(definition, [definition, other]);
  if (want === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(want);
});
