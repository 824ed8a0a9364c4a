import { apps, autoscaling, autoscalingV2, core, events } from "@orchernetes/api";
import { type ApiObject, notFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, Registry } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import type { MatchCriteria } from "./match-criteria.ts";
import { Matcher } from "./matcher.ts";
import { RuleIndex } from "./rule-index.ts";
import { versioned } from "./versioned.ts";

const erase = (definition: object): ResourceDefinition => definition as ResourceDefinition;
const definitions = [
  core.pods,
  core.namespaces,
  core.nodes,
  core.events,
  events.events,
  apps.deployments,
  autoscalingV2.horizontalPodAutoscalers,
  autoscaling.horizontalPodAutoscalers,
].map(erase);

/** A registry with namespaces that the cache knows, and one that only the store has. */
function registryOf(labels: Readonly<Record<string, Record<string, string>>>, inStore = "late"): Registry {
  const named = (name: string) => labels[name] && { metadata: { name, labels: labels[name] } };
  return {
    generation: 1,
    definitions: () => definitions,
    lookupKind: (group: string, version: string, kind: string) => ({
      definition: definitions.find((one) => one.group === group && one.version === version && one.kind === kind),
    }),
    forDefinition: () => ({
      cached: ({ name }: { name: string }) => (name === inStore ? undefined : named(name)),
      async get({ name }: { name: string }) {
        const found = named(name);
        if (found === undefined) throw notFound({ group: "", plural: "namespaces" }, name);
        return found;
      },
    }),
  } as unknown as Registry;
}
const registry = registryOf({ ns: { team: "a" }, late: { team: "b" } });
const context: Pick<AdmissionContext, "registry" | "signal"> = { registry, signal: new AbortController().signal };

function write(definition: object, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  const { group, version, plural, kind, scope } = erase(definition);
  return {
    operation: "CREATE",
    user: { name: "u", uid: "", groups: [], extra: {} },
    resource: { group, version, resource: plural },
    kind: { group, version, kind },
    subresource: "",
    namespace: scope === "Namespaced" ? "ns" : "",
    name: "o",
    object: { metadata: { name: "o" } },
    oldObject: undefined,
    definition: erase(definition),
    options: {},
    dryRun: false,
    ...more,
  };
}

const rule = (apiGroups: string, apiVersions: string, resources: string, more: object = {}) => ({
  operations: ["*"],
  apiGroups: [apiGroups],
  apiVersions: [apiVersions],
  resources: [resources],
  ...more,
});
const all: MatchCriteria = { namespaceSelector: {}, objectSelector: {} };
const teamA: MatchCriteria = { ...all, namespaceSelector: { matchLabels: { team: "a" } } };
const matcher = new Matcher();
const matches = async (criteria: MatchCriteria, attributes: AdmissionAttributes) =>
  (await matcher.matches(criteria, attributes, context)).matches;

test("selectors of namespaces", async () => {
  const noTeam: MatchCriteria = {
    ...all,
    namespaceSelector: { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] },
  };
  expect(await matches(teamA, write(core.pods))).toBe(true);
  expect(await matches(teamA, write(core.pods, { namespace: "late" }))).toBe(false);
  expect(
    await matches(
      { ...all, namespaceSelector: { matchLabels: { team: "b" } } },
      write(core.pods, { namespace: "late" }),
    ),
  ).toBe(true);
  expect(await matches(noTeam, write(core.pods))).toBe(false);
  // Without a selector nothing is selected, with an empty one everything.
  expect(await matches({ ...all, namespaceSelector: undefined }, write(core.pods))).toBe(false);
  expect(await matches(teamA, write(core.nodes))).toBe(true);
});

test("namespaces count with the labels that they are to have, and are removed with those that they have", async () => {
  const object = { metadata: { name: "ns", labels: { team: "c" } } };
  const update = write(core.namespaces, {
    operation: "UPDATE",
    name: "ns",
    object,
    oldObject: { metadata: { name: "ns" } },
  });
  expect(await matches(teamA, update)).toBe(false);
  expect(await matches(teamA, { ...update, subresource: "finalize" })).toBe(true);
  expect(await matches(teamA, { ...update, operation: "DELETE", object: undefined })).toBe(true);
  const fresh = { metadata: { name: "fresh", labels: { team: "a" } } };
  expect(await matches(teamA, write(core.namespaces, { name: "fresh", object: fresh }))).toBe(true);
});

test("an answer is given at once unless the store has to be asked", () => {
  expect(matcher.matches(teamA, write(core.pods), context)).toMatchObject({ matches: true });
  expect(matcher.matches(teamA, write(core.pods, { namespace: "late" }), context)).toBeInstanceOf(Promise);
});

test("a namespace that does not exist matters only if the rest matches", async () => {
  const pod = write(core.pods, { namespace: "gone" });
  await expect(matches(teamA, pod)).rejects.toMatchObject({ status: { code: 404 } });
  expect(await matches(all, pod)).toBe(true);
  expect(await matches({ ...teamA, resourceRules: [rule("apps", "v1", "*")] }, pod)).toBe(false);
  expect(await matches({ ...teamA, objectSelector: { matchLabels: { a: "b" } } }, pod)).toBe(false);
});

test("selectors of objects look at the new and at the stored object", async () => {
  const criteria: MatchCriteria = { ...all, objectSelector: { matchLabels: { a: "b" } } };
  const labelled: ApiObject = { metadata: { labels: { a: "b" } } };
  expect(await matches(criteria, write(core.pods, { object: labelled }))).toBe(true);
  expect(await matches(criteria, write(core.pods, { operation: "UPDATE", oldObject: labelled }))).toBe(true);
  expect(
    await matches(criteria, write(core.pods, { operation: "DELETE", object: undefined, oldObject: labelled })),
  ).toBe(true);
  expect(await matches(criteria, write(core.pods))).toBe(false);
  expect(
    await matches(criteria, write(core.pods, { operation: "CONNECT", object: labelled, oldObject: labelled })),
  ).toBe(false);
});

test("rules and exclusions", async () => {
  const named = { ...all, resourceRules: [rule("", "v1", "pods", { resourceNames: ["p"] })] };
  expect(await matches(named, write(core.pods))).toBe(false);
  expect(await matches(named, write(core.pods, { name: "p" }))).toBe(true);
  const excluding = { ...all, excludeResourceRules: [rule("", "*", "pods", { resourceNames: ["p"] })] };
  expect(await matches(excluding, write(core.pods))).toBe(true);
  expect(await matches(excluding, write(core.pods, { name: "p" }))).toBe(false);
  expect(await matches({ ...all, resourceRules: [] }, write(core.pods))).toBe(true);
});

const hpa = write(autoscalingV2.horizontalPodAutoscalers);
const v1Rule = [rule("autoscaling", "v1", "horizontalpodautoscalers")];

test("rules for another version match if the policy is Equivalent, and say so", () => {
  expect(matcher.matches({ ...all, resourceRules: v1Rule }, hpa, context)).toEqual({ matches: false });
  expect(matcher.matches({ ...all, resourceRules: v1Rule, matchPolicy: "Exact" }, hpa, context)).toEqual({
    matches: false,
  });
  expect(matcher.matches({ ...all, resourceRules: v1Rule, matchPolicy: "Equivalent" }, hpa, context)).toEqual({
    matches: true,
    kind: { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" },
    resource: { group: "autoscaling", version: "v1", resource: "horizontalpodautoscalers" },
  });
  const both = [...v1Rule, rule("autoscaling", "v2", "horizontalpodautoscalers")];
  expect(matcher.matches({ ...all, resourceRules: both, matchPolicy: "Equivalent" }, hpa, context)).toMatchObject({
    kind: hpa.kind,
  });
});

test("resources of different groups over the same objects are equivalent", () => {
  const criteria = { ...all, matchPolicy: "Equivalent", resourceRules: [rule("", "v1", "events")] };
  expect(matcher.matches(criteria, write(events.events), context)).toMatchObject({
    kind: { group: "", version: "v1", kind: "Event" },
  });
  const scale = {
    ...all,
    matchPolicy: "Equivalent",
    resourceRules: [rule("extensions", "v1beta1", "deployments/scale")],
  };
  expect(matcher.matches(scale, write(apps.deployments, { subresource: "scale" }), context)).toEqual({
    matches: false,
  });
});

test("objects are converted to the version that matched", async () => {
  const spec = {
    minReplicas: 1,
    maxReplicas: 3,
    scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
  };
  const object = {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v2",
    metadata: { name: "o" },
    spec,
    status: {},
  } as ApiObject;
  const attributes = { ...hpa, object };
  const v1 = { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" };
  expect(await versioned(attributes, v1, registry)).toMatchObject({
    kind: v1,
    object: { apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 50, maxReplicas: 3 } },
    oldObject: undefined,
  });
  expect((await versioned(attributes, hpa.kind, registry)).object).toBe(object);
  // Groups may have the same names of versions.
  const event = { metadata: { name: "e" }, note: "n", reason: "r", regarding: { kind: "Pod" }, eventTime: null };
  const core1 = { group: "", version: "v1", kind: "Event" };
  const inGroup = write(events.events, {
    object: { ...event, kind: "Event", apiVersion: "events.o8s.io/v1" } as ApiObject,
  });
  expect((await versioned(inGroup, core1, registry)).object).toMatchObject({
    apiVersion: "v1",
    message: "n",
    involvedObject: { kind: "Pod" },
  });
  expect(() => versioned(attributes, { ...v1, kind: "Nothing" }, registry)).toThrow("unable to convert");
});

test("an index finds the same, by look-ups", () => {
  const items = [
    { criteria: { ...all, resourceRules: v1Rule, matchPolicy: "Equivalent" }, id: 1 },
    { criteria: { ...all, resourceRules: [rule("", "v1", "pods", { resourceNames: ["p"] })] }, id: 2 },
    { criteria: { ...all, excludeResourceRules: [rule("", "v1", "pods", { resourceNames: ["p"] })] }, id: 3 },
    { criteria: { ...all, excludeResourceRules: [rule("", "v1", "pods")] }, id: 4 },
    { criteria: { ...all, resourceRules: [rule("", "v1", "*", { scope: "Cluster" })] }, id: 5 },
  ];
  const index = new RuleIndex(items);
  const found = (attributes: AdmissionAttributes) => index.candidates(attributes, registry).map(({ item }) => item.id);
  expect(found(hpa)).toEqual([1, 3, 4]);
  expect(found(write(core.pods))).toEqual([2, 3]);
  expect(found(write(core.nodes))).toEqual([3, 4, 5]);
  expect(found(write(core.namespaces))).toEqual([3, 4, 5]);
  expect(index.candidates(hpa, registry)).toBe(index.candidates(hpa, registry));
  expect(index.candidates(hpa, registry)[0]).toMatchObject({ kind: { version: "v1" }, resource: { version: "v1" } });
  expect(index.candidates({ ...hpa, definition: undefined }, registry)).toHaveLength(2);
});
