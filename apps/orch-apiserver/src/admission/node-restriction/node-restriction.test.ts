import { notFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, Registry } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { nodeRestriction } from "./node-restriction.ts";

interface Json {
  readonly [key: string]: unknown;
}
type Write = Omit<Partial<AdmissionAttributes>, "object" | "oldObject" | "resource"> & {
  readonly resource: string;
  readonly object?: Json;
  readonly oldObject?: Json;
};

const objects: Readonly<Record<string, Json>> = {
  "nodes/mine": { metadata: { name: "mine", uid: "node-uid" } },
  "pods/here": { metadata: { name: "here", uid: "here-uid" }, spec: { nodeName: "mine" } },
  "pods/there": { metadata: { name: "there", uid: "there-uid" }, spec: { nodeName: "other" } },
};
const registry = {
  forDefinition: ({ group, plural }: ResourceDefinition) => ({
    cached: ({ name }: { readonly name: string }) => objects[`${plural}/${name}`],
    get: async ({ name }: { readonly name: string }) => {
      throw notFound({ group, plural }, name);
    },
  }),
} as unknown as Registry;
const context = { registry, signal: new AbortController().signal } as unknown as AdmissionContext;

const nodes = ["system:nodes", "system:authenticated"];
/** What the plugin says to a write of node `mine`: "" for nothing. */
async function answer(write: Write, user = "system:node:mine", expansion = false): Promise<string> {
  const [resource = "", group = ""] = write.resource.split(/\.(.*)/s);
  const attributes = {
    operation: "CREATE",
    user: { name: user, groups: nodes, extra: {} },
    kind: { group: "", version: "v1", kind: resource === "pods" ? "Pod" : "Other" },
    subresource: "",
    namespace: "ns",
    name: "",
    object: undefined,
    oldObject: undefined,
    definition: undefined,
    options: {},
    dryRun: false,
    ...write,
    resource: { group, version: "v1", resource },
  } as unknown as AdmissionAttributes;
  try {
    await nodeRestriction(expansion).validate?.(attributes, context);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const owner = { apiVersion: "v1", kind: "Node", name: "mine", uid: "node-uid", controller: true };
const mirror = (spec: Json = {}, metadata: Json = {}) => ({
  resource: "pods",
  object: {
    metadata: {
      name: "static-mine",
      annotations: { "orchernetes.io/config.mirror": "x" },
      ownerReferences: [owner],
      ...metadata,
    },
    spec: { nodeName: "mine", containers: [{ name: "c" }], ...spec },
  },
});
const container = (fields: Json) => ({ containers: [{ name: "c", ...fields }] });
const volume = (source: Json) => ({ volumes: [{ name: "v", ...source }] });

test.each<[string, Write, string]>([
  ["a mirror pod", mirror(), ""],
  ["a mirror pod with volumes of its node", mirror(volume({ hostPath: { path: "/x" } })), ""],
  ["a mirror pod with its own fields", mirror(volume({ projected: { sources: [{ downwardAPI: {} }] } })), ""],
  ["a pod", mirror({}, { annotations: {} }), "can only create mirror pods"],
  ["a mirror pod of another node", mirror({ nodeName: "other" }), "spec.nodeName set to itself"],
  ["a mirror pod without an owner", mirror({}, { ownerReferences: [] }), "an owner reference set to itself"],
  ["two owners", mirror({}, { ownerReferences: [owner, owner] }), "a single owner reference"],
  ["another node as owner", mirror({}, { ownerReferences: [{ ...owner, name: "other" }] }), "set to itself"],
  ["another kind of owner", mirror({}, { ownerReferences: [{ ...owner, kind: "Pod" }] }), "set to itself"],
  [
    "an owner that does not control",
    mirror({}, { ownerReferences: [{ ...owner, controller: false }] }),
    "a controller",
  ],
  ["an owner that blocks", mirror({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }), "blockOwner"],
  ["a former node as owner", mirror({}, { ownerReferences: [{ ...owner, uid: "old" }] }), '"mine" not found'],
  ["an account", mirror({ serviceAccountName: "default" }), "reference a service account"],
  [
    "an account's token",
    mirror(volume({ projected: { sources: [{ serviceAccountToken: {} }] } })),
    "a service account",
  ],
  ["a secret volume", mirror(volume({ secret: { secretName: "s" } })), "reference secrets"],
  ["a secret in a projection", mirror(volume({ projected: { sources: [{ secret: { name: "s" } }] } })), "secrets"],
  ["a secret in a variable", mirror(container({ env: [{ valueFrom: { secretKeyRef: { name: "s" } } }] })), "secrets"],
  ["a secret with variables", mirror(container({ envFrom: [{ secretRef: { name: "s" } }] })), "secrets"],
  [
    "a secret of an init container",
    mirror({ initContainers: container({ envFrom: [{ secretRef: { name: "s" } }] }).containers }),
    "secrets",
  ],
  ["a pull secret", mirror({ imagePullSecrets: [{ name: "s" }] }), "secrets"],
  ["a secret of a CSI volume", mirror(volume({ csi: { nodePublishSecretRef: { name: "s" } } })), "secrets"],
  ["a ConfigMap volume", mirror(volume({ configMap: { name: "c" } })), "configmaps"],
  [
    "a ConfigMap in a variable",
    mirror(container({ env: [{ valueFrom: { configMapKeyRef: { name: "c" } } }] })),
    "configmaps",
  ],
  ["a claim", mirror(volume({ persistentVolumeClaim: { claimName: "c" } })), "persistentvolumeclaims"],
  ["a claim to be made", mirror(volume({ ephemeral: { volumeClaimTemplate: {} } })), "persistentvolumeclaims"],
  [
    "a resource claim",
    mirror({ resourceClaims: [{ name: "r", source: { resourceClaimName: "r" } }] }),
    "resourceclaims",
  ],
  [
    "an update of a pod",
    {
      resource: "pods",
      operation: "UPDATE",
      name: "here",
      object: objects["pods/here"],
      oldObject: objects["pods/here"],
    } as Write,
    'unexpected operation "UPDATE"',
  ],
  ["a deletion of its own pod", { resource: "pods", operation: "DELETE", name: "here" }, ""],
  [
    "a deletion of another node's pod",
    { resource: "pods", operation: "DELETE", name: "there" },
    "can only delete pods",
  ],
  ["an eviction of its own pod", { resource: "pods", subresource: "eviction", name: "here", object: {} }, ""],
  [
    "an eviction of another node's pod",
    { resource: "pods", subresource: "eviction", name: "there", object: {} },
    "can only evict pods",
  ],
  [
    "an eviction that names the pod itself",
    { resource: "pods", subresource: "eviction", object: { metadata: { name: "there" } } },
    "can only evict pods",
  ],
  [
    "a binding",
    { resource: "pods", subresource: "binding", name: "here", object: {} },
    'unexpected pod subresource "binding"',
  ],
  [
    "an ephemeral container",
    { resource: "pods", subresource: "ephemeralcontainers", operation: "UPDATE", name: "here", object: {} },
    "unexpected pod subresource",
  ],
])("pods: %s", async (_name, write, want) => {
  const said = await answer(write);
  if (want === "") expect(said).toBe("");
  else expect(said).toContain(want);
});

const update = (resource: string, oldObject: Json, object: Json, subresource = "", name = "mine"): Write => ({
  resource,
  operation: "UPDATE",
  subresource,
  name,
  object,
  oldObject,
});
const podStatus = (labels: Json | undefined, nodeName = "mine") =>
  update(
    "pods",
    { metadata: { labels: { a: "1", b: "2" } }, spec: { nodeName } },
    { metadata: { labels }, spec: { nodeName } },
    "status",
    "here",
  );

test.each<[string, Write, string]>([
  ["status of its own pod, whatever the order of labels", podStatus({ b: "2", a: "1" }), ""],
  ["a label through the status", podStatus({ a: "1", b: "3" }), "cannot update labels through pod status"],
  ["a label removed through the status", podStatus(undefined), "cannot update labels through pod status"],
  ["status of another node's pod", podStatus({ a: "1", b: "2" }, "other"), "can only update pod status"],
])("%s", async (_name, write, want) => {
  const said = await answer(write);
  if (want === "") expect(said).toBe("");
  else expect(said).toContain(want);
});

const node = (metadata: Json = {}, spec: Json = {}) => ({ metadata: { name: "mine", ...metadata }, spec });
const labels = (key: string, value = "x") => node({ labels: { [key]: value } });
const config = { configMap: { name: "c", namespace: "n", orchletConfigKey: "k" } };

test.each<[string, Write, string]>([
  ["creates itself", { resource: "nodes", object: node() }, ""],
  [
    "creates itself with taints",
    { resource: "nodes", object: node({}, { taints: [{ key: "a", effect: "NoSchedule" }] }) },
    "",
  ],
  [
    "creates another node",
    { resource: "nodes", object: { ...node(), metadata: { name: "other" } } },
    'not allowed to modify node "other"',
  ],
  [
    "creates a node that the server names",
    { resource: "nodes", object: { metadata: { generateName: "mine" }, spec: {} } },
    "not allowed to modify node",
  ],
  [
    "creates itself with an owner",
    { resource: "nodes", object: node({ ownerReferences: [owner] }) },
    "ownerReferences",
  ],
  [
    "creates itself with a configuration source",
    { resource: "nodes", object: node({}, { configSource: config }) },
    "configSource",
  ],
  ["changes another node", { ...update("nodes", node(), node()), name: "other" }, "not allowed to modify node"],
  ["deletes another node", { resource: "nodes", operation: "DELETE", name: "other" }, "not allowed to modify node"],
  ...["", "status"].flatMap((part): [string, Write, string][] => [
    [
      `owner references by nodes/${part}`,
      update("nodes", node(), node({ ownerReferences: [owner] }), part),
      "modify ownerReferences",
    ],
    [
      `owner references away by nodes/${part}`,
      update("nodes", node({ ownerReferences: [owner] }), node(), part),
      "modify ownerReferences",
    ],
    [
      `taints by nodes/${part}`,
      update("nodes", node({}, { taints: [{ key: "a", effect: "NoSchedule" }] }), node({}, { taints: [] }), part),
      "modify taints",
    ],
    [
      `a configuration source by nodes/${part}`,
      update("nodes", node(), node({}, { configSource: config }), part),
      "configSource",
    ],
    [
      `a restricted label by nodes/${part}`,
      update("nodes", node(), labels("node-restriction.orchernetes.io/a"), part),
      "modify labels: node-restriction.orchernetes.io/a",
    ],
    [
      `nothing new by nodes/${part}`,
      update(
        "nodes",
        node({ ownerReferences: [owner] }, { configSource: config }),
        node({ ownerReferences: [owner] }, { configSource: config }),
        part,
      ),
      "",
    ],
  ]),
  [
    "a label below the restricted domain",
    { resource: "nodes", object: labels("x.node-restriction.orchernetes.io/a") },
    "set the following labels",
  ],
  [
    "a role label",
    { resource: "nodes", object: labels("node-role.orchernetes.io/control-plane") },
    "set the following labels",
  ],
  ["a label of the other domain", { resource: "nodes", object: labels("o8s.io/a") }, "set the following labels"],
  ["its host name", { resource: "nodes", object: labels("orchernetes.io/hostname") }, ""],
  ["a label of the agent", { resource: "nodes", object: labels("orchlet.orchernetes.io/a") }, ""],
  ["a label below the agent's domain", { resource: "nodes", object: labels("a.orchlet.orchernetes.io/a") }, ""],
  [
    "a label of the agent's name alone",
    { resource: "nodes", object: labels("aorchlet.orchernetes.io/a") },
    "set the following labels",
  ],
  ["a user's label", { resource: "nodes", object: labels("example.com/a") }, ""],
  ["a removed restricted label", update("nodes", labels("node-restriction.orchernetes.io/a"), node()), "modify labels"],
])("nodes: %s", async (_name, write, want) => {
  const said = await answer(write);
  if (want === "") expect(said).toBe("");
  else expect(said).toContain(want);
});

const claim = (status: Json, metadata: Json = {}, spec: Json = { volumeName: "pv" }) => ({
  metadata: { name: "c", resourceVersion: "1", ...metadata },
  spec,
  status: { phase: "Bound", ...status },
});
const claimStatus = (object: Json) => update("persistentvolumeclaims", claim({}), object, "status", "c");

test.each<[string, Write, string]>([
  [
    "capacity and conditions",
    claimStatus(
      claim(
        { capacity: { storage: "2Gi" }, conditions: [{ type: "x" }] },
        { resourceVersion: "", managedFields: [{}] },
      ),
    ),
    "",
  ],
  ["the phase", claimStatus({ ...claim({}), status: { phase: "Lost" } }), "other than status.capacity"],
  ["labels", claimStatus(claim({}, { labels: { a: "b" } })), "other than status.capacity"],
  ["finalizers", claimStatus(claim({}, { finalizers: ["x/y"] })), "other than status.capacity"],
  ["owners", claimStatus(claim({}, { ownerReferences: [owner] })), "other than status.capacity"],
  ["annotations", claimStatus(claim({}, { annotations: { a: "b" } })), "other than status.capacity"],
  ["the spec", claimStatus(claim({}, {}, { volumeName: "other" })), "other than status.capacity"],
  [
    "the state of an expansion without its gate",
    claimStatus(claim({ resizeStatus: "x" })),
    "other than status.capacity",
  ],
  ["the claim itself", update("persistentvolumeclaims", claim({}), claim({}), "", "c"), "may only update PVC status"],
  ["a new claim", { resource: "persistentvolumeclaims", object: claim({}) }, "may only update PVC status"],
])("claims: %s", async (_name, write, want) => {
  const said = await answer(write);
  if (want === "") expect(said).toBe("");
  else expect(said).toContain(want);
});

test("with gate RecoverVolumeExpansionFailure the state of an expansion is the node's", async () => {
  const write = claimStatus(claim({ resizeStatus: "x", allocatedResources: { storage: "2Gi" } }));
  expect(await answer(write, "system:node:mine", true)).toBe("");
});

const bound = { kind: "Pod", apiVersion: "v1", name: "here", uid: "here-uid" };
const token = (boundObjectRef?: Json): Write => ({
  resource: "serviceaccounts",
  subresource: "token",
  name: "sa",
  object: { spec: { boundObjectRef } },
});
const lease = (write: Partial<Write>): Write => ({
  resource: "leases.coordination.o8s.io",
  namespace: "orch-node-lease",
  ...write,
});
const csiNode = (write: Partial<Write>): Write => ({ resource: "csinodes.storage.o8s.io", namespace: "", ...write });
const named = (name: string) => ({ metadata: { name } });

test.each<[string, Write, string]>([
  ["a token for its own pod", token(bound), ""],
  ["a token for nothing", token(), "not bound to a pod"],
  ["a token for a secret", token({ ...bound, kind: "Secret" }), "not bound to a pod"],
  ["a token for a pod without a name", token({ ...bound, name: "" }), "not bound to a pod"],
  ["a token for a pod without a uid", token({ ...bound, uid: "" }), "without a uid"],
  ["a token for a former pod", token({ ...bound, uid: "old" }), "does not match the UID"],
  ["a token for another node's pod", token({ ...bound, name: "there", uid: "there-uid" }), "a different node"],
  ["its lease", lease({ object: named("mine") }), ""],
  ["a lease of another node", lease({ object: named("other") }), "same name as the requesting node"],
  [
    "a lease elsewhere",
    { ...lease({ object: named("mine") }), namespace: "ns" },
    'in the "orch-node-lease" system namespace',
  ],
  ["a deletion of another node's lease", lease({ operation: "DELETE", name: "other" }), "same name"],
  [
    "a change of another node's lease",
    lease({ operation: "UPDATE", name: "other", object: named("other") }),
    "same name",
  ],
  ["its CSINode", csiNode({ object: named("mine") }), ""],
  ["another CSINode", csiNode({ object: named("other") }), "same name as the requesting node"],
  ["a deletion of another CSINode", csiNode({ operation: "DELETE", name: "other" }), "same name"],
  ["an event", { resource: "events", object: named("x") }, ""],
])("%s", async (_name, write, want) => {
  const said = await answer(write);
  if (want === "") expect(said).toBe("");
  else expect(said).toContain(want);
});

test("users in the form of nodes who name none write nothing, others are not restricted", async () => {
  const write = { resource: "nodes", object: { metadata: { name: "x" } } };
  expect(await answer(write, "system:node:")).toContain("could not determine node from user");
  expect(await answer(write, "alice")).toBe("");
  const generated = { resource: "pods", object: { metadata: { generateName: "static-" }, spec: {} } };
  expect(await answer(generated)).toMatch(/^pods "static-" is forbidden: /);
});
