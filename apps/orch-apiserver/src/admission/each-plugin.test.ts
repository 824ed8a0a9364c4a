import { core, networking, node, scheduling, storage } from "@orchernetes/api";
import { type ApiObject, notFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, MutatingAttributes } from "@orchernetes/apiserver";
import { alwaysDeny as denyingAuthorizer } from "@orchernetes/auth";
import { expect, test } from "vitest";
import { implementedPlugins, pluginTable } from "./plugins.ts";
import type { PluginSettings } from "./shared/plugin.ts";

const settings: PluginSettings = {
  flags: { "default-not-ready-toleration-seconds": 30, "default-unreachable-toleration-seconds": 40 },
  featureEnabled: () => false,
  configuration: {},
  rights: { authorizers: [denyingAuthorizer], ruleSources: [{ rulesFor: () => [] }] },
};

/** Definitions, each with the objects that are stored. */
type Stored = readonly (readonly [definition: object, objects: readonly object[]])[];

/** A context whose registry holds the objects of a row, and nothing else. */
function holding(stored: Stored): AdmissionContext {
  const forDefinition = (definition: ResourceDefinition) => {
    const objects = (stored.find(([held]) => held === definition)?.[1] ?? []) as readonly ApiObject[];
    const named = ({ name }: { readonly name: string }) => objects.find((object) => object.metadata.name === name);
    return {
      recentList: () => objects,
      cached: named,
      async get(ref: { readonly name: string }) {
        const found = named(ref);
        if (found === undefined) throw notFound({ group: definition.group, plural: definition.plural }, ref.name);
        return found;
      },
      create: async (object: ApiObject) => object,
      follow: () => undefined,
    };
  };
  return {
    registry: { forDefinition },
    now: new Date(0),
    signal: new AbortController().signal,
    warn: () => undefined,
    annotate: () => undefined,
  } as unknown as AdmissionContext;
}

/** A write, and the objects that the registry holds meanwhile. */
interface Write {
  readonly resource: readonly [group: string, plural: string];
  readonly object?: object;
  readonly name?: string;
  readonly operation?: "CREATE" | "UPDATE" | "DELETE";
  readonly user?: string;
  readonly stored?: Stored;
  readonly dryRun?: boolean;
}

/** A write that is admitted, with a part of the object afterwards; and one that is refused, or left as it is by a plugin that refuses nothing. */
interface Row {
  readonly admits: Write;
  readonly becomes: object;
  readonly other: Write;
  readonly refusal?: string;
}

const pods = ["", "pods"] as const;
const claims = ["", "persistentvolumeclaims"] as const;
const namespaces = ["", "namespaces"] as const;
const secrets = ["", "secrets"] as const;
const pod = (spec: object = {}) => ({ metadata: { name: "o" }, spec: { containers: [{ name: "c" }], ...spec } });
const plain = { metadata: { name: "o" } };
const active: Stored = [[core.namespaces, [{ metadata: { name: "ns" }, spec: {}, status: { phase: "Active" } }]]];
const limits = (max: string): Stored => [
  [
    core.limitRanges,
    [{ metadata: { name: "l" }, spec: { limits: [{ type: "Container", default: { cpu: "1" }, max: { cpu: max } }] } }],
  ],
];
const quota = (hard: string, used: string): Stored => [
  [
    core.resourceQuotas,
    [
      {
        metadata: { name: "q" },
        spec: { hard: { secrets: hard } },
        status: { hard: { secrets: hard }, used: { secrets: used } },
      },
    ],
  ],
];
const marked = (annotation: string) => ({ metadata: { name: "std", annotations: { [annotation]: "true" } } });
const highest: Stored = [[scheduling.priorityClasses, [{ metadata: { name: "high" }, value: 7 }]]];
const role = (verb: string) => ({ ...plain, rules: [{ verbs: [verb], apiGroups: [""], resources: ["pods"] }] });

const rows: Readonly<Record<string, Row>> = {
  AlwaysAdmit: {
    admits: { resource: secrets, object: plain },
    becomes: plain,
    other: { resource: secrets, object: plain },
  },
  NamespaceAutoProvision: {
    admits: { resource: secrets, object: plain },
    becomes: plain,
    other: { resource: namespaces, object: plain },
  },
  NamespaceLifecycle: {
    admits: { resource: secrets, object: plain, stored: active },
    becomes: plain,
    other: { resource: secrets, object: plain },
    refusal: 'namespaces "ns" not found',
  },
  NamespaceExists: {
    admits: { resource: secrets, object: plain, stored: active },
    becomes: plain,
    other: { resource: secrets, object: plain },
    refusal: 'namespaces "ns" not found',
  },
  LimitRanger: {
    admits: { resource: pods, object: pod(), stored: limits("2") },
    becomes: { spec: { containers: [{ resources: { limits: { cpu: "1" } } }] } },
    other: { resource: pods, object: pod(), stored: limits("500m") },
    refusal: "maximum cpu usage per Container is 500m, but limit is 1",
  },
  ServiceAccount: {
    admits: { resource: pods, object: pod(), stored: [[core.serviceAccounts, [{ metadata: { name: "default" } }]]] },
    becomes: { spec: { serviceAccountName: "default" } },
    other: { resource: pods, object: pod({ serviceAccountName: "none" }) },
    refusal: 'error looking up service account ns/none: serviceaccount "none" not found',
  },
  NodeRestriction: {
    admits: {
      resource: ["", "nodes"],
      name: "n1",
      user: "system:node:n1",
      object: { metadata: { name: "n1" }, spec: {} },
    },
    becomes: { metadata: { name: "n1" } },
    other: {
      resource: ["", "nodes"],
      name: "n2",
      user: "system:node:n1",
      object: { metadata: { name: "n2" }, spec: {} },
    },
    refusal: 'node "n1" is not allowed to modify node "n2"',
  },
  TaintNodesByCondition: {
    admits: { resource: ["", "nodes"], object: { ...plain, spec: {} } },
    becomes: { spec: { taints: [{ key: "node.orchernetes.io/not-ready", effect: "NoSchedule" }] } },
    other: { resource: pods, object: pod() },
  },
  AlwaysPullImages: {
    admits: { resource: pods, object: pod() },
    becomes: { spec: { containers: [{ imagePullPolicy: "Always" }] } },
    other: { resource: secrets, object: plain },
  },
  Priority: {
    admits: { resource: pods, object: pod({ priorityClassName: "high" }), stored: highest },
    becomes: { spec: { priority: 7 } },
    other: { resource: pods, object: pod({ priorityClassName: "none" }), stored: highest },
    refusal: "no PriorityClass with name none was found",
  },
  DefaultTolerationSeconds: {
    admits: { resource: pods, object: pod() },
    becomes: { spec: { tolerations: [{ tolerationSeconds: 30 }, { tolerationSeconds: 40 }] } },
    other: { resource: pods, object: pod({ tolerations: [{ operator: "Exists" }] }) },
  },
  DefaultStorageClass: {
    admits: {
      resource: claims,
      object: { ...plain, spec: {} },
      stored: [[storage.storageClasses, [marked("storageclass.orchernetes.io/is-default-class")]]],
    },
    becomes: { spec: { storageClassName: "std" } },
    other: { resource: claims, object: { ...plain, spec: {} } },
  },
  StorageObjectInUseProtection: {
    admits: { resource: claims, object: { metadata: { name: "o" } } },
    becomes: { metadata: { finalizers: ["orchernetes.io/pvc-protection"] } },
    other: { resource: secrets, object: plain },
  },
  RuntimeClass: {
    admits: {
      resource: pods,
      object: pod({ runtimeClassName: "vm" }),
      stored: [
        [node.runtimeClasses, [{ metadata: { name: "vm" }, handler: "h", overhead: { podFixed: { cpu: "1" } } }]],
      ],
    },
    becomes: { spec: { overhead: { cpu: "1" } } },
    other: { resource: pods, object: pod({ runtimeClassName: "none" }) },
    refusal: 'pod rejected: RuntimeClass "none" not found',
  },
  DefaultIngressClass: {
    admits: {
      resource: ["networking.o8s.io", "ingresses"],
      object: { ...plain, spec: {} },
      stored: [[networking.ingressClasses, [marked("ingressclass.orchernetes.io/is-default-class")]]],
    },
    becomes: { spec: { ingressClassName: "std" } },
    other: { resource: ["networking.o8s.io", "ingresses"], object: { ...plain, spec: {} } },
  },
  ResourceQuota: {
    admits: { resource: secrets, object: plain, stored: quota("2", "1"), dryRun: true },
    becomes: plain,
    other: { resource: secrets, object: plain, stored: quota("1", "1") },
    refusal: "exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1",
  },
  AlwaysDeny: {
    admits: { resource: secrets, object: plain },
    becomes: plain,
    other: { resource: secrets, object: plain },
    refusal: "admission control is denying all modifications",
  },
  InitialAvailability: {
    admits: {
      resource: ["apiregistration.o8s.io", "apiservices"],
      object: { ...plain, spec: { group: "g", version: "v1", service: { namespace: "ns", name: "none" } } },
    },
    becomes: { status: { conditions: [{ type: "Available", status: "False", reason: "ServiceNotFound" }] } },
    other: { resource: secrets, object: plain },
  },
  SystemPriorityClassProtection: {
    admits: { resource: ["scheduling.o8s.io", "priorityclasses"], operation: "DELETE", name: "mine" },
    becomes: {},
    other: { resource: ["scheduling.o8s.io", "priorityclasses"], operation: "DELETE", name: "system-node-critical" },
    refusal: "this is a system priority class and cannot be deleted",
  },
  UnenforcedPolicies: {
    admits: { resource: ["networking.o8s.io", "networkpolicies"], object: { ...plain, spec: {} } },
    becomes: plain,
    other: {
      resource: ["admissionregistration.o8s.io", "validatingwebhookconfigurations"],
      object: { ...plain, webhooks: [{ name: "w", failurePolicy: "Fail" }] },
    },
    refusal: "this server",
  },
  RoleEscalation: {
    admits: { resource: ["rbac.authorization.o8s.io", "clusterroles"], object: { ...plain, rules: [] } },
    becomes: plain,
    other: { resource: ["rbac.authorization.o8s.io", "clusterroles"], object: role("get") },
    refusal: "is attempting to grant RBAC permissions not currently held",
  },
};

/** The object after the plugin's two phases, as a server runs them. */
async function run(name: string, write: Write): Promise<unknown> {
  const descriptor = pluginTable.find((entry) => entry.name === name)?.descriptor;
  if (descriptor === undefined) throw new Error(`no plugin ${name}`);
  const plugin = "create" in descriptor ? descriptor.create(settings) : descriptor;
  const { resource, operation = "CREATE", user = "u", stored = [], dryRun = false } = write;
  const object = structuredClone(write.object);
  const attributes = {
    operation,
    user: { name: user, groups: user.startsWith("system:node:") ? ["system:nodes"] : [], extra: {} },
    resource: { group: resource[0], version: "v1", resource: resource[1] },
    subresource: "",
    namespace: "ns",
    name: write.name ?? "o",
    object,
    oldObject: undefined,
    definition: resource === secrets ? core.secrets : undefined,
    options: {},
    dryRun,
  } as unknown as MutatingAttributes & AdmissionAttributes;
  const context = holding(stored);
  if (!plugin.handles(operation)) return object;
  await plugin.admit?.(attributes, context);
  await plugin.validate?.(attributes, context);
  return object;
}

test("every plugin has its row", () => {
  const own = pluginTable.filter(({ state }) => state === "always").map(({ name }) => name);
  expect(Object.keys(rows).sort()).toEqual([...implementedPlugins, ...own].sort());
});

const all = Object.entries(rows).map(([name, row]) => ({ name, ...row }));

test.each(all.filter(({ name }) => name !== "AlwaysDeny"))("$name admits", async ({ name, admits, becomes }) => {
  expect((await run(name, admits)) ?? {}).toMatchObject(becomes);
});

test.each(all.filter(({ refusal }) => refusal !== undefined))("$name refuses", async ({ name, other, refusal }) => {
  await expect(run(name, other)).rejects.toThrow(refusal);
});

test.each(all.filter(({ refusal }) => refusal === undefined))(
  "$name leaves other writes as they are",
  async ({ name, other }) => {
    expect(await run(name, other)).toEqual(other.object);
  },
);
