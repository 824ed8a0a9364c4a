import type { core } from "@orchernetes/api";
import { SelectorError, seededNumbers } from "@orchernetes/apimachinery";
import { node, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { compileNodeAffinity, compileNodePreference, nodeMatchesPod } from "./node-affinity.ts";

type Operator = core.NodeSelectorRequirement["operator"];
const requires = (key: string, operator: Operator, ...values: string[]): core.NodeSelectorRequirement => ({
  key,
  operator,
  ...(values.length > 0 ? { values } : {}),
});
const labelled = (labels: Record<string, string>): core.Node => node("n1").labels(labels).build();
const wanting = (...nodeSelectorTerms: core.NodeSelectorTerm[]): core.PodSpec =>
  pod("p")
    .affinity({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } })
    .build().spec;
const expressions = (...matchExpressions: core.NodeSelectorRequirement[]): core.PodSpec =>
  wanting({ matchExpressions });
const fields = (...matchFields: core.NodeSelectorRequirement[]): core.PodSpec => wanting({ matchFields });

const zoneA = labelled({ zone: "a", cores: "8" });

test.each<[string, core.PodSpec, boolean]>([
  ["neither selector nor affinity", pod("p").build().spec, true],
  ["a node selector", pod("p").nodeSelector({ zone: "a" }).build().spec, true],
  ["a node selector of another value", pod("p").nodeSelector({ zone: "b" }).build().spec, false],
  ["a node selector of a missing label", pod("p").nodeSelector({ disk: "ssd" }).build().spec, false],
  ["a label that objects inherit", expressions(requires("constructor", "Exists")), false],
  ["one of the values", expressions(requires("zone", "In", "b", "a")), true],
  ["none of the values", expressions(requires("zone", "In", "b")), false],
  ["a label not of the values", expressions(requires("zone", "NotIn", "b")), true],
  ["NotIn for a missing label", expressions(requires("disk", "NotIn", "b")), true],
  ["a label that is there", expressions(requires("zone", "Exists")), true],
  ["a label that is not there", expressions(requires("disk", "DoesNotExist")), true],
  ["more than", expressions(requires("cores", "Gt", "7")), true],
  ["not more than", expressions(requires("cores", "Gt", "8")), false],
  ["less than", expressions(requires("cores", "Lt", "9")), true],
  ["more than, of a text", expressions(requires("zone", "Gt", "1")), false],
  ["more than, of a missing label", expressions(requires("disk", "Lt", "1")), false],
  ["all requirements of a term", expressions(requires("zone", "Exists"), requires("disk", "Exists")), false],
  [
    "any of the terms",
    wanting(
      { matchFields: [requires("metadata.name", "In", "n2")] },
      { matchExpressions: [requires("zone", "Exists")] },
    ),
    true,
  ],
  ["no term", wanting(), false],
  ["a term without requirements", wanting({}), false],
  ["the node's name", fields(requires("metadata.name", "In", "n1")), true],
  ["another node's name", fields(requires("metadata.name", "In", "n2")), false],
  ["all names but the node's", fields(requires("metadata.name", "NotIn", "n1")), false],
  // A term that is not valid matches no node, whatever the rest of it says.
  ["a value that no label can have", expressions(requires("zone", "NotIn", "not a label")), false],
  ["such a value beside the right one", expressions(requires("zone", "In", "a", "not a label")), false],
  ["a bound that is no integer", expressions(requires("cores", "Lt", "1e9")), false],
  ["a bound beyond 64 bits", expressions(requires("cores", "Lt", "99999999999999999999")), false],
  ["a bound that no label can have", expressions(requires("cores", "Gt", "-1")), false],
  ["the node's name among others", fields(requires("metadata.name", "In", "n1", "n2")), false],
  ["a node that has a name", fields(requires("metadata.name", "Exists")), false],
  [
    "a valid term beside one that is not",
    wanting(
      { matchExpressions: [requires("zone", "In", "not a label")] },
      { matchExpressions: [requires("zone", "Exists")] },
    ),
    true,
  ],
])("a node matches a pod with %s: %#", (_, spec, want) => {
  expect(nodeMatchesPod(zoneA, spec)).toBe(want);
});

test("an integer in a node's label may be any of 64 bits", () => {
  const huge = labelled({ cores: "9223372036854775807", more: "9223372036854775808" });
  expect(nodeMatchesPod(huge, expressions(requires("cores", "Gt", "9223372036854775806")))).toBe(true);
  expect(nodeMatchesPod(huge, expressions(requires("more", "Gt", "1")))).toBe(false);
});

test("matching preferred terms add their weights", () => {
  const preference = compileNodePreference([
    { weight: 10, preference: { matchExpressions: [requires("zone", "In", "a")] } },
    { weight: 5, preference: { matchExpressions: [requires("zone", "In", "b")] } },
    { weight: 3, preference: { matchFields: [requires("metadata.name", "In", "n1")] } },
    { weight: 50, preference: {} },
  ]);
  expect(preference(zoneA)).toBe(13);
  expect(preference(labelled({ zone: "b" }))).toBe(8);
});

test("preferred terms that are not valid are an error", () => {
  const invalid = [{ weight: 1, preference: { matchExpressions: [requires("zone", "In", "not a label")] } }];
  expect(() => compileNodePreference(invalid)).toThrow(SelectorError);
});

/** The definition of a match, word by word, for valid requirements. */
function plainly(spec: core.PodSpec, { metadata }: core.Node): boolean {
  const labels = new Map(Object.entries(metadata.labels ?? {}));
  const meets = (have: string | undefined, { operator, values = [] }: core.NodeSelectorRequirement): boolean => {
    if (operator === "NotIn") return have === undefined || !values.includes(have);
    if (operator === "DoesNotExist") return have === undefined;
    if (have === undefined) return false;
    if (operator === "Exists") return true;
    if (operator === "In") return values.includes(have);
    const [number, bound] = [Number(have), Number(values[0])];
    return operator === "Gt" ? number > bound : number < bound;
  };
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) if (labels.get(key) !== value) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  for (const { matchExpressions = [], matchFields = [] } of required.nodeSelectorTerms) {
    if (matchExpressions.length + matchFields.length === 0) continue;
    const byLabels = matchExpressions.every((requirement) => meets(labels.get(requirement.key), requirement));
    if (byLabels && matchFields.every((requirement) => meets(metadata.name, requirement))) return true;
  }
  return false;
}

test("random selectors match the nodes that they match by definition", () => {
  const next = seededNumbers(1);
  const one = <T>(of: readonly [T, ...T[]]): T => of[next(of.length)] ?? of[0];
  const some = <T>(most: number, make: () => T): T[] => Array.from({ length: next(most + 1) }, make);
  const requirement = (): core.NodeSelectorRequirement => {
    const key = one(["a", "b", "c"]);
    const operator = one<Operator>(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]);
    if (operator === "Exists" || operator === "DoesNotExist") return requires(key, operator);
    if (operator === "Gt" || operator === "Lt") return requires(key, operator, one(["0", "1", "10"]));
    return requires(key, operator, one(["0", "1", "2"]), ...some(2, () => one(["1", "2", "10"])));
  };
  const field = () => requires("metadata.name", one<Operator>(["In", "NotIn"]), one(["n1", "n2"]));
  const spec = (): core.PodSpec => ({
    ...(next(2) === 0
      ? wanting(...some(3, () => ({ matchExpressions: some(3, requirement), matchFields: some(1, field) })))
      : pod("p").build().spec),
    ...(next(2) === 0 ? { nodeSelector: { [one(["a", "b"])]: one(["1", "2"]) } } : {}),
  });
  const nodes = Array.from({ length: 40 }, () => {
    const labels = Object.fromEntries(some(3, () => [one(["a", "b", "c"]), one(["0", "1", "2", "10"])] as const));
    return node(one(["n1", "n2", "n3"]))
      .labels(labels)
      .build();
  });
  let matched = 0;
  for (let i = 0; i < 1000; i++) {
    const wanted = spec();
    const matches = compileNodeAffinity(wanted) ?? (() => true);
    for (const candidate of nodes) {
      const want = plainly(wanted, candidate);
      expect(matches(candidate), JSON.stringify([wanted, candidate.metadata])).toBe(want);
      if (want) matched++;
    }
  }
  expect(matched).toBeGreaterThan(1000);
});
