import { networking, node, storage } from "@orchernetes/api";
import { type ApiObject, notFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionPlugin,
  MutatingAttributes,
} from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { defaultIngressClass, defaultStorageClass } from "./default-classes.ts";
import { systemPriorityClassProtection } from "./priority.ts";
import { runtimeClass } from "./runtime-class.ts";

/** A context whose registry holds these objects of one kind. */
function holding(definition: unknown, objects: readonly object[]): AdmissionContext {
  const named = objects as readonly ApiObject[];
  const store = {
    recentList: () => named,
    cached: ({ name }: { readonly name: string }) => named.find((o) => o.metadata.name === name),
    get: async ({ name }: { readonly name: string }) => {
      throw notFound({ group: "", plural: "things" }, name);
    },
  };
  const registry = {
    forDefinition(asked: ResourceDefinition) {
      expect(asked).toBe(definition);
      return store;
    },
  };
  return { registry, now: new Date(), signal: new AbortController().signal } as unknown as AdmissionContext;
}

function creating(group: string, resource: string, object: object): MutatingAttributes & AdmissionAttributes {
  const name = (object as ApiObject).metadata.name ?? "";
  return {
    operation: "CREATE",
    resource: { group, version: "v1", resource },
    subresource: "",
    namespace: "ns",
    name,
    object,
  } as unknown as MutatingAttributes & AdmissionAttributes;
}

async function admit(plugin: AdmissionPlugin, attributes: MutatingAttributes, context: AdmissionContext) {
  await plugin.admit?.(attributes, context);
  return attributes.object as unknown as { readonly spec: Record<string, unknown> };
}

const made = (name: string, creationTimestamp: string, annotations: Readonly<Record<string, string>>) => ({
  metadata: { name, creationTimestamp, annotations },
});

const marked = { "ingressclass.orchernetes.io/is-default-class": "true" };
const ingressClasses = [
  made("old", "2026-01-01T00:00:00Z", marked),
  made("new", "2026-01-02T00:00:00Z", marked),
  made("newest", "2026-01-03T00:00:00Z", {}),
];

test.each<readonly [string, readonly object[], object, string | undefined]>([
  ["the newest default", ingressClasses, { metadata: {}, spec: {} }, "new"],
  ["none without defaults", ingressClasses.slice(2), { metadata: {}, spec: {} }, undefined],
  ["its own", ingressClasses, { metadata: {}, spec: { ingressClassName: "mine" } }, "mine"],
  [
    "none besides the annotation",
    ingressClasses,
    { metadata: { annotations: { "orchernetes.io/ingress.class": "x" } }, spec: {} },
    undefined,
  ],
])("an ingress gets %s", async (_, classes, ingress, want) => {
  const context = holding(networking.ingressClasses, classes);
  const { spec } = await admit(defaultIngressClass, creating("networking.o8s.io", "ingresses", ingress), context);
  expect(spec.ingressClassName).toBe(want);
});

const storageClasses = [
  made("b", "2026-01-01T00:00:00Z", { "storageclass.orchernetes.io/is-default-class": "true" }),
  made("a", "2026-01-01T00:00:00Z", { "storageclass.orchernetes.io/is-default-class": "true" }),
];

test.each<readonly [string, object, string | undefined]>([
  ["the default, by name among equals", { metadata: {}, spec: {} }, "a"],
  ["none if it asks for none", { metadata: {}, spec: { storageClassName: "" } }, ""],
])("a claim gets %s", async (_, claim, want) => {
  const context = holding(storage.storageClasses, storageClasses);
  const { spec } = await admit(defaultStorageClass, creating("", "persistentvolumeclaims", claim), context);
  expect(spec.storageClassName).toBe(want);
});

const runtimes = holding(node.runtimeClasses, [
  {
    metadata: { name: "vm" },
    handler: "h",
    overhead: { podFixed: { cpu: "100m" } },
    scheduling: { nodeSelector: { rt: "vm" }, tolerations: [{ key: "rt", operator: "Exists" }] },
  },
  { metadata: { name: "plain" }, handler: "p" },
]);
const pod = (spec: object) => creating("", "pods", { metadata: { name: "p" }, spec: { containers: [], ...spec } });

test("a pod gets its runtime class's overhead, selector and tolerations", async () => {
  const own = { key: "own", operator: "Exists" };
  const { spec } = await admit(
    runtimeClass,
    pod({ runtimeClassName: "vm", nodeSelector: { a: "b" }, tolerations: [own] }),
    runtimes,
  );
  expect(spec).toMatchObject({
    overhead: { cpu: "100m" },
    nodeSelector: { a: "b", rt: "vm" },
    tolerations: [own, { key: "rt", operator: "Exists" }],
  });
});

test.each([
  ["a class that is not there", { runtimeClassName: "none" }, 'pod rejected: RuntimeClass "none" not found'],
  [
    "another selector",
    { runtimeClassName: "vm", nodeSelector: { rt: "x" } },
    "conflict: runtimeClass.scheduling.nodeSelector[rt] = vm; pod.spec.nodeSelector[rt] = x",
  ],
  [
    "another overhead",
    { runtimeClassName: "vm", overhead: { cpu: "1" } },
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
])("a pod with %s is refused", async (_, spec, want) => {
  await expect(admit(runtimeClass, pod(spec), runtimes)).rejects.toThrow(want);
});

test.each([
  ["of its class, however written", { runtimeClassName: "vm", overhead: { cpu: "0.1" } }, undefined],
  ["without class", { overhead: { cpu: "1" } }, "Pod Overhead set without corresponding RuntimeClass defined Overhead"],
  [
    "its class has not",
    { runtimeClassName: "plain", overhead: { cpu: "1" } },
    "Pod Overhead set without corresponding RuntimeClass defined Overhead",
  ],
])("overhead %s", async (_, spec, want) => {
  const validation = Promise.resolve(runtimeClass.validate?.(pod(spec), runtimes));
  if (want === undefined) await expect(validation).resolves.toBeUndefined();
  else await expect(validation).rejects.toThrow(want);
});

test.each([
  ["system-node-critical", true],
  ["mine", false],
])("deleting priority class %s is refused: %s", (name, refused) => {
  const deletion = creating("scheduling.o8s.io", "priorityclasses", { metadata: { name } });
  const validate = () => systemPriorityClassProtection.validate?.(deletion, runtimes);
  if (refused) expect(validate).toThrow("this is a system priority class and cannot be deleted");
  else expect(validate).not.toThrow();
});
