import { core, networking, node, scheduling, storage } from "@orchernetes/api";
import { alwaysAllow as allowingAuthorizer, alwaysDeny as denyingAuthorizer } from "@orchernetes/auth";
import { createMetrics } from "@orchernetes/component";
import { systemClock } from "@orchernetes/kernel";
import { createCertificateRequest } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { implementedPlugins, pluginTable } from "./plugins.ts";
import type { PluginSettings } from "./shared/plugin.ts";
import { idleParts, runPlugin, type Stored, type Write } from "./testing/plugins.ts";

const settings: PluginSettings = {
  flags: { "default-not-ready-toleration-seconds": 30, "default-unreachable-toleration-seconds": 40 },
  featureEnabled: () => false,
  configuration: {},
  metrics: createMetrics(),
  ...idleParts,
  expressions: { compiled: () => undefined, evaluated: () => undefined },
  rights: { authorizers: [denyingAuthorizer], ruleSources: [{ rulesFor: () => [] }] },
};

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

const volumes = ["", "persistentvolumes"] as const;
const configurations = ["admissionregistration.o8s.io", "webhookconfigurations"] as const;
const hurried: PluginSettings["clock"] = { ...systemClock, sleep: () => Promise.resolve() };
const requests = ["certificates.o8s.io", "certificatesigningrequests"] as const;
const bundles = ["certificates.o8s.io", "clustertrustbundles"] as const;
const apart = (topologyKey: string) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } },
});
const selectors = {
  configuration: { PodNodeSelector: { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "region=west" } } },
};
const anyA = { key: "a", operator: "Exists" as const };
const tolerations = { configuration: { PodTolerationRestriction: { default: [anyA], whitelist: [anyA] } } };
const rates = (burst: number) => ({
  configuration: { EventRateLimit: { limits: [{ type: "Server" as const, qps: 1, burst, cacheSize: 1 }] } },
});
const placed = {
  annotations: { "pv.orchernetes.io/provisioned-by": "p" },
  labels: { "topology.orchernetes.io/zone": "b__a", "topology.orchernetes.io/region": "r" },
};
const owner = (blockOwnerDeletion: boolean) => ({
  apiVersion: "v1",
  kind: "Secret",
  name: "s",
  uid: "u",
  blockOwnerDeletion,
});
const claim = (storage: string) => ({
  ...plain,
  spec: { storageClassName: "std", resources: { requests: { storage } } },
  status: { phase: "Bound" },
});
const strict: Stored = [
  [core.namespaces, [{ metadata: { name: "ns", labels: { "pod-security.orchernetes.io/enforce": "baseline" } } }]],
];
const growing: Stored = [[storage.storageClasses, [{ metadata: { name: "std" }, allowVolumeExpansion: true }]]];
const request = { ...plain, spec: { signerName: "example.com/s" }, status: {} };
const signed = { ...request, status: { certificate: "x" } };
const mighty = { rights: { authorizers: [allowingAuthorizer], ruleSources: [] } };
const signingRequest = async (organization: string) => {
  const { csrPem } = await createCertificateRequest({ commonName: "u", organizations: [organization] });
  return {
    ...plain,
    spec: {
      signerName: "orchernetes.io/orch-apiserver-client",
      request: Buffer.from(csrPem).toString("base64"),
    },
  };
};
const [ofUsers, ofMasters] = [await signingRequest("users"), await signingRequest("system:masters")];

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
  ImagePolicyWebhook: {
    admits: { resource: secrets, object: plain },
    becomes: {},
    other: { resource: pods, object: pod() },
    refusal: "has no configuration",
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
  SecurityContextDeny: {
    admits: { resource: pods, object: pod() },
    becomes: plain,
    other: { resource: pods, object: pod({ securityContext: { runAsUser: 0 } }) },
    refusal: 'pods "o" is forbidden: pod.Spec.SecurityContext.RunAsUser is forbidden',
  },
  LimitPodHardAntiAffinityTopology: {
    admits: { resource: pods, object: pod(apart("orchernetes.io/hostname")) },
    becomes: plain,
    other: { resource: pods, object: pod(apart("zone")) },
    refusal: "RequiredDuringScheduling has TopologyKey zone but only key orchernetes.io/hostname is allowed",
  },
  PodNodeSelector: {
    admits: { resource: pods, object: pod(), stored: active, settings: selectors },
    becomes: { spec: { nodeSelector: { region: "west" } } },
    other: { resource: pods, object: pod({ nodeSelector: { region: "east" } }), stored: active, settings: selectors },
    refusal: "pod node label selector conflicts with its namespace node label selector",
  },
  PodTolerationRestriction: {
    admits: { resource: pods, object: pod(), stored: active, settings: tolerations },
    becomes: { spec: { tolerations: [{ key: "a", operator: "Exists" }] } },
    other: {
      resource: pods,
      object: pod({ tolerations: [{ key: "b", operator: "Exists" }] }),
      stored: active,
      settings: tolerations,
    },
    refusal: "pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist",
  },
  EventRateLimit: {
    admits: { resource: ["", "events"], kind: "Event", object: plain, settings: rates(1) },
    becomes: plain,
    other: { resource: ["", "events"], kind: "Event", object: plain, settings: rates(0) },
    refusal: "Too many requests: limit reached on type Server for key ",
  },
  ExtendedResourceToleration: {
    admits: {
      resource: pods,
      object: pod({ containers: [{ resources: { requests: { "a.com/gpu": "1", cpu: "1" } } }] }),
    },
    becomes: { spec: { tolerations: [{ key: "a.com/gpu", operator: "Exists", effect: "NoSchedule" }] } },
    other: { resource: pods, object: pod({ containers: [{ resources: { requests: { cpu: "1" } } }] }) },
  },
  PersistentVolumeLabel: {
    admits: { resource: volumes, object: { metadata: { name: "o", ...placed }, spec: {} } },
    becomes: {
      spec: {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: "topology.orchernetes.io/zone", operator: "In", values: ["a", "b"] },
                  { key: "topology.orchernetes.io/region", operator: "In", values: ["r"] },
                ],
              },
            ],
          },
        },
      },
    },
    other: { resource: volumes, object: { ...plain, spec: { gcePersistentDisk: { pdName: "d" } } } },
    refusal:
      'persistentvolumes "o" is forbidden: error querying GCE PD volume d: unable to build GCE cloud provider for PD',
  },
  OwnerReferencesPermissionEnforcement: {
    admits: { resource: secrets, object: { metadata: { name: "o", ownerReferences: [owner(false)] } } },
    becomes: plain,
    other: { resource: secrets, object: { metadata: { name: "o", ownerReferences: [owner(true)] } } },
    refusal:
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: Everything is forbidden., <nil>",
  },
  PersistentVolumeClaimResize: {
    admits: { resource: claims, operation: "UPDATE", object: claim("2Gi"), oldObject: claim("1Gi"), stored: growing },
    becomes: plain,
    other: { resource: claims, operation: "UPDATE", object: claim("2Gi"), oldObject: claim("1Gi") },
    refusal:
      'persistentvolumeclaims "o" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  },
  CertificateApproval: {
    admits: { resource: requests, subresource: "approval", operation: "UPDATE", oldObject: request, settings: mighty },
    becomes: {},
    other: { resource: requests, subresource: "approval", operation: "UPDATE", oldObject: request },
    refusal: 'user not permitted to approve requests with signerName "example.com/s"',
  },
  CertificateSigning: {
    admits: { resource: requests, subresource: "status", operation: "UPDATE", object: request, oldObject: request },
    becomes: {},
    other: { resource: requests, subresource: "status", operation: "UPDATE", object: signed, oldObject: request },
    refusal: 'user not permitted to sign requests with signerName "example.com/s"',
  },
  ClusterTrustBundleAttest: {
    admits: { resource: bundles, object: { ...plain, spec: {} } },
    becomes: plain,
    other: { resource: bundles, object: { ...plain, spec: { signerName: "example.com/s" } } },
    refusal: 'user not permitted to attest for signerName "example.com/s"',
  },
  CertificateSubjectRestriction: {
    admits: { resource: requests, object: ofUsers },
    becomes: plain,
    other: { resource: requests, object: ofMasters },
    refusal: "use of orchernetes.io/orch-apiserver-client signer with system:masters group is not allowed",
  },
  DenyServiceExternalIPs: {
    admits: { resource: ["", "services"], object: { ...plain, spec: {} } },
    becomes: plain,
    other: { resource: ["", "services"], object: { ...plain, spec: { externalIPs: ["1.2.3.4"] } } },
    refusal: 'services "o" is forbidden: Use of external IPs is denied by admission control',
  },
  ValidatingAdmissionPolicy: {
    admits: { resource: pods, object: plain },
    becomes: plain,
    other: { resource: pods, object: plain, settings: { featureEnabled: () => true } },
    refusal: 'pods "o" is forbidden: not yet ready to handle request',
  },
  PodSecurity: {
    admits: { resource: pods, object: pod(), stored: strict },
    becomes: plain,
    other: { resource: pods, object: pod({ hostPID: true }), stored: strict },
    refusal: 'pods "o" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
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
    other: { resource: pods, object: pod({ hostUsers: false }) },
    refusal: "spec.hostUsers: found false",
  },
  // Nothing is followed here, so a server that has just started is seen.
  MutatingAdmissionWebhook: {
    admits: { resource: configurations, kind: "MutatingWebhookConfiguration", object: plain },
    becomes: plain,
    other: { resource: pods, object: pod(), settings: { clock: hurried } },
    refusal: 'pods "o" is forbidden: not yet ready to handle request',
  },
  ValidatingAdmissionWebhook: {
    admits: { resource: configurations, kind: "ValidatingWebhookConfiguration", object: plain },
    becomes: plain,
    other: { resource: pods, object: pod(), settings: { clock: hurried } },
    refusal: 'pods "o" is forbidden: not yet ready to handle request',
  },
  RoleEscalation: {
    admits: { resource: ["rbac.authorization.o8s.io", "clusterroles"], object: { ...plain, rules: [] } },
    becomes: plain,
    other: { resource: ["rbac.authorization.o8s.io", "clusterroles"], object: role("get") },
    refusal: "is attempting to grant RBAC permissions not currently held",
  },
};

const run = (name: string, write: Write) =>
  runPlugin(
    pluginTable.find((entry) => entry.name === name),
    { ...settings, ...write.settings },
    write,
  );

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

test("refusals of mutating plugins name a pod without a name by what its name is made of", async () => {
  const object = { ...pod({ priorityClassName: "none" }), metadata: { generateName: "web-" } };
  const entry = pluginTable.find(({ name }) => name === "Priority");
  await expect(runPlugin(entry, settings, { resource: pods, name: "", object })).rejects.toThrow(
    'pods "web-" is forbidden: no PriorityClass with name none was found',
  );
});

test("a runtime class adds tolerations that those of the pod do not cover", async () => {
  const tolerations = [
    { key: "a", operator: "Exists" },
    { key: "b", operator: "Exists" },
  ];
  const found = { metadata: { name: "r" }, handler: "h", scheduling: { tolerations } };
  const object = pod({ runtimeClassName: "r", tolerations: [{ key: "a", operator: "Exists" }] });
  const entry = pluginTable.find(({ name }) => name === "RuntimeClass");
  const stored: Stored = [[node.runtimeClasses, [found]]];
  expect(await runPlugin(entry, settings, { resource: pods, object, stored })).toMatchObject({ spec: { tolerations } });
});

test("a mirror pod names no secrets, wherever it could", async () => {
  const metadata = { name: "o", annotations: { [core.mirrorAnnotation]: "x" } };
  const entry = pluginTable.find(({ name }) => name === "ServiceAccount");
  const object = { ...pod({ imagePullSecrets: [{ name: "s" }] }), metadata };
  await expect(runPlugin(entry, settings, { resource: pods, object })).rejects.toThrow(
    'pods "o" is forbidden: a mirror pod may not reference secrets',
  );
});
