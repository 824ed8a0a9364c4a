import { core } from "@orchernetes/api";
import type { ApiError } from "@orchernetes/apimachinery";
import { type Attributes, type Authorizer, alwaysDeny } from "@orchernetes/auth";
import { createMetrics } from "@orchernetes/component";
import { messageOf } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { eventRateLimit } from "./event-rate-limit.ts";
import { pluginTable } from "./plugins.ts";
import type { PluginSettings } from "./shared/plugin.ts";
import { idleParts, runPlugin, type Stored, type Write } from "./testing/plugins.ts";

const settings: PluginSettings = {
  flags: { "default-not-ready-toleration-seconds": 30, "default-unreachable-toleration-seconds": 40 },
  featureEnabled: () => false,
  configuration: {},
  metrics: createMetrics(),
  ...idleParts,
  expressions: { compiled: () => undefined, evaluated: () => undefined },
  rights: { authorizers: [alwaysDeny], ruleSources: [] },
};
const run = (name: string, write: Write) =>
  runPlugin(
    pluginTable.find((entry) => entry.name === name),
    { ...settings, ...write.settings },
    write,
  );

/** Allows what `allow` says, as verb, resource, subresource, namespace and name. */
const allowing = (...allow: readonly string[]): Partial<PluginSettings> => {
  const authorizer: Authorizer = {
    authorize({ verb, resource, subresource, namespace, name }: Attributes) {
      const asked = [verb, resource, subresource, namespace, name].join(" ");
      return allow.includes(asked) ? { type: "Allow" } : { type: "NoOpinion" };
    },
  };
  return { rights: { authorizers: [authorizer], ruleSources: [] } };
};
const pods = ["", "pods"] as const;
const secrets = ["", "secrets"] as const;
const volumes = ["", "persistentvolumes"] as const;
const claims = ["", "persistentvolumeclaims"] as const;
const requests = ["certificates.o8s.io", "certificatesigningrequests"] as const;
const pod = (spec: object = {}) => ({ metadata: { name: "o" }, spec: { containers: [{ name: "c" }], ...spec } });
const namespace = (annotations: Readonly<Record<string, string>> = {}): Stored => [
  [core.namespaces, [{ metadata: { name: "ns", annotations } }]],
];
const csr = { metadata: { name: "o" }, spec: { signerName: "a.io/s" }, status: {} };
const nodes = (podNodeSelectorPluginConfig: Readonly<Record<string, string>>) => ({
  configuration: { PodNodeSelector: { podNodeSelectorPluginConfig } },
});
const chosen = (text: string) => namespace({ "scheduler.alpha.orchernetes.io/node-selector": text });
const tolerate = (key: string, more: object = {}) => ({ key, operator: "Exists" as const, ...more });
const owned = (...ownerReferences: readonly object[]) => ({ metadata: { name: "o", ownerReferences } });
const owner = (uid: string, more: object = {}) => ({ apiVersion: "v1", kind: "Secret", name: "s", uid, ...more });
const disk = (spec: object, metadata: object = {}) => ({ metadata: { name: "o", ...metadata }, spec });
const claim = (storage: string, phase = "Bound", storageClassName = "std") => ({
  metadata: { name: "o" },
  spec: { storageClassName, resources: { requests: { storage } } },
  status: { phase },
});
const defaults = "scheduler.alpha.orchernetes.io/defaultTolerations";
const whitelist = "scheduler.alpha.orchernetes.io/tolerationsWhitelist";
const memory = tolerate("node.orchernetes.io/memory-pressure", { effect: "NoSchedule" });
const busy = { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] };

/** A text: the message of the refusal. An object: part of what is stored. */
const rows: readonly (readonly [plugin: string, what: string, write: Write, want: string | object])[] = [
  ...["approve", "sign"].flatMap((verb) => {
    const [plugin, subresource] =
      verb === "approve" ? ["CertificateApproval", "approval"] : ["CertificateSigning", "status"];
    const object = { ...csr, status: { conditions: [{ type: "Failed", status: "True" }] } };
    const write = { resource: requests, operation: "UPDATE" as const, subresource, object, oldObject: csr };
    return [
      [plugin, "by the signer's name", { ...write, settings: allowing(`${verb} signers   a.io/s`) }, {}],
      [plugin, "by its domain", { ...write, settings: allowing(`${verb} signers   a.io/*`) }, {}],
      [
        plugin,
        "of another domain",
        { ...write, settings: allowing(`${verb} signers   b.io/*`) },
        "user not permitted to",
      ],
      [plugin, "elsewhere", { ...write, subresource: "" }, {}],
    ] as const;
  }),
  ["CertificateSubjectRestriction", "of another signer", { resource: requests, object: csr }, {}],
  [
    "CertificateSubjectRestriction",
    "without a request",
    {
      resource: requests,
      object: { ...csr, spec: { signerName: "orchernetes.io/orch-apiserver-client", request: "" } },
    },
    "failed to parse CSR: ",
  ],
  [
    "PersistentVolumeClaimResize",
    "smaller",
    { resource: claims, operation: "UPDATE", object: claim("1Gi"), oldObject: claim("2Gi") },
    {},
  ],
  [
    "PersistentVolumeClaimResize",
    "before it is bound",
    { resource: claims, operation: "UPDATE", object: claim("2Gi"), oldObject: claim("1Gi", "Pending") },
    "Only bound persistent volume claims can be expanded",
  ],
  [
    "OwnerReferencesPermissionEnforcement",
    "no change",
    { resource: secrets, operation: "UPDATE", object: owned(owner("u")), oldObject: owned(owner("u")) },
    {},
  ],
  [
    "OwnerReferencesPermissionEnforcement",
    "a change by who may not delete",
    { resource: secrets, operation: "UPDATE", object: owned(owner("u")), oldObject: owned() },
    "cannot set an ownerRef on a resource you can't delete: ",
  ],
  [
    "OwnerReferencesPermissionEnforcement",
    "a change by who may",
    {
      resource: secrets,
      operation: "UPDATE",
      object: owned(owner("u")),
      oldObject: owned(),
      settings: allowing("delete secrets  ns o"),
    },
    {},
  ],
  [
    "OwnerReferencesPermissionEnforcement",
    "blocking by who may set finalizers",
    {
      resource: secrets,
      object: owned(owner("u", { blockOwnerDeletion: true })),
      settings: allowing("update secrets finalizers ns s"),
    },
    {},
  ],
  [
    "OwnerReferencesPermissionEnforcement",
    "blocking an unknown kind",
    { resource: secrets, object: owned(owner("u", { blockOwnerDeletion: true, apiVersion: "a/v1", kind: "X" })) },
    'because cannot find RESTMapping for APIVersion a/v1 Kind X: no matches for kind "X" in version "a/v1"',
  ],
  [
    "OwnerReferencesPermissionEnforcement",
    "status of pods",
    { resource: pods, subresource: "status", operation: "UPDATE", object: owned(owner("u")), oldObject: owned() },
    {},
  ],
  [
    "DenyServiceExternalIPs",
    "fewer",
    {
      resource: ["", "services"],
      operation: "UPDATE",
      object: { metadata: {}, spec: { externalIPs: ["a"] } },
      oldObject: { metadata: {}, spec: { externalIPs: ["b", "a"] } },
    },
    {},
  ],
  [
    "SecurityContextDeny",
    "groups",
    { resource: pods, object: pod({ securityContext: { supplementalGroups: [1] } }) },
    "pod.Spec.SecurityContext.SupplementalGroups is forbidden",
  ],
  [
    "SecurityContextDeny",
    "labels",
    { resource: pods, object: pod({ securityContext: { seLinuxOptions: {} } }) },
    "pod.Spec.SecurityContext.SELinuxOptions is forbidden",
  ],
  [
    "SecurityContextDeny",
    "fsGroup",
    { resource: pods, object: pod({ securityContext: { fsGroup: 0 } }) },
    "pod.Spec.SecurityContext.FSGroup is forbidden",
  ],
  [
    "SecurityContextDeny",
    "a container's user",
    { resource: pods, object: pod({ initContainers: [{ securityContext: { runAsUser: 0 } }] }) },
    "forbidden: SecurityContext.RunAsUser is forbidden",
  ],
  [
    "SecurityContextDeny",
    "a container's labels",
    { resource: pods, object: pod({ containers: [{ securityContext: { seLinuxOptions: {} } }] }) },
    "forbidden: SecurityContext.SELinuxOptions is forbidden",
  ],
  [
    "ExtendedResourceToleration",
    "one that is there",
    {
      resource: pods,
      object: pod({
        containers: [{ resources: { requests: { "a.io/b": "1" } } }],
        tolerations: [tolerate("a.io/b", { effect: "NoSchedule" })],
      }),
    },
    { spec: { tolerations: [tolerate("a.io/b", { effect: "NoSchedule" })] } },
  ],
  [
    "PodNodeSelector",
    "of the namespace",
    {
      resource: pods,
      object: pod({ nodeSelector: { c: "d" } }),
      stored: chosen("a=b"),
      settings: nodes({ clusterDefaultNodeSelector: "x=y" }),
    },
    { spec: { nodeSelector: { a: "b", c: "d" } } },
  ],
  ["PodNodeSelector", "of nobody", { resource: pods, object: pod(), stored: namespace() }, pod()],
  [
    "PodNodeSelector",
    "in the whitelist",
    {
      resource: pods,
      object: pod({ nodeSelector: { a: "b" } }),
      stored: namespace(),
      settings: nodes({ ns: "a=b,c=d" }),
    },
    {},
  ],
  [
    "PodNodeSelector",
    "outside the whitelist",
    {
      resource: pods,
      object: pod({ nodeSelector: { e: "f" } }),
      stored: namespace(),
      settings: nodes({ ns: "a=b,c=d" }),
    },
    "pod node label selector labels conflict with its namespace whitelist",
  ],
  [
    "PodNodeSelector",
    "an annotation of another form",
    { resource: pods, object: pod(), stored: chosen("a") },
    'invalid selector: found "a"',
  ],
  ["PodNodeSelector", "without a namespace", { resource: pods, object: pod() }, 'namespaces "ns" not found'],
  [
    "PodTolerationRestriction",
    "defaults of the namespace",
    { resource: pods, object: pod(), stored: namespace({ [defaults]: JSON.stringify([tolerate("a")]) }) },
    { spec: { tolerations: [tolerate("a")] } },
  ],
  [
    "PodTolerationRestriction",
    "none by choice",
    {
      resource: pods,
      object: pod(),
      stored: namespace({ [defaults]: "" }),
      settings: { configuration: { PodTolerationRestriction: { default: [tolerate("b")], whitelist: [] } } },
    },
    pod(),
  ],
  [
    "PodTolerationRestriction",
    "pressure on memory",
    { resource: pods, object: pod(busy), stored: namespace() },
    { spec: { tolerations: [memory] } },
  ],
  [
    "PodTolerationRestriction",
    "what all covers",
    { resource: pods, object: pod({ ...busy, tolerations: [{ operator: "Exists" }] }), stored: namespace() },
    { spec: { tolerations: [{ operator: "Exists" }] } },
  ],
  [
    "PodTolerationRestriction",
    "outside the whitelist",
    {
      resource: pods,
      object: pod({ tolerations: [tolerate("a", { effect: "NoExecute", tolerationSeconds: 9 })] }),
      stored: namespace({
        [whitelist]: JSON.stringify([tolerate("a", { effect: "NoExecute", tolerationSeconds: 8 })]),
      }),
    },
    "conflict with its namespace whitelist",
  ],
  [
    "PodTolerationRestriction",
    "inside the whitelist",
    {
      resource: pods,
      object: pod({ tolerations: [{ key: "a", operator: "Equal", value: "v" }] }),
      stored: namespace({ [whitelist]: '[{"key":"a","value":"v"}]' }),
    },
    {},
  ],
  [
    "PodTolerationRestriction",
    "an annotation of another form",
    { resource: pods, object: pod(), stored: namespace({ [defaults]: "{" }) },
    "is no list of tolerations",
  ],
  [
    "PersistentVolumeLabel",
    "a disk that is being made",
    { resource: volumes, object: disk({ gcePersistentDisk: { pdName: "placeholder-for-provisioning" } }) },
    {},
  ],
  [
    "PersistentVolumeLabel",
    "Azure",
    { resource: volumes, object: disk({ azureDisk: { diskName: "d" } }) },
    "error querying AzureDisk volume d: unable to build Azure cloud provider for AzureDisk",
  ],
  [
    "PersistentVolumeLabel",
    "vSphere",
    { resource: volumes, object: disk({ vsphereVolume: { volumePath: "p" } }) },
    "error querying vSphere Volume p: unable to build vSphere cloud provider",
  ],
  [
    "PersistentVolumeLabel",
    "a host's path",
    { resource: volumes, object: disk({ hostPath: { path: "/" } }) },
    disk({ hostPath: { path: "/" } }),
  ],
  [
    "PersistentVolumeLabel",
    "a zone without a name",
    {
      resource: volumes,
      object: disk(
        {},
        {
          annotations: { "pv.orchernetes.io/provisioned-by": "p" },
          labels: {
            "failure-domain.beta.orchernetes.io/zone": "a__",
            "failure-domain.beta.orchernetes.io/region": "r",
          },
        },
      ),
    },
    "failed to convert label string for Zone: a__ to a Set",
  ],
];

test.each(rows.map(([plugin, what, write, want]) => ({ plugin, what, write, want })))(
  "$plugin: $what",
  async ({ plugin, write, want }) => {
    if (typeof want === "string") await expect(run(plugin, write)).rejects.toThrow(want);
    else expect((await run(plugin, write)) ?? {}).toMatchObject(want);
  },
);

test("long keys of events are told apart and are not kept: thousands of them would fill the memory", () => {
  const plugin = eventRateLimit.create({
    ...settings,
    configuration: { EventRateLimit: { limits: [{ type: "SourceAndObject", qps: 1, burst: 1, cacheSize: 2 }] } },
  });
  const refusal = (component: string): string => {
    const object = { metadata: {}, source: { component }, involvedObject: {} };
    const attributes = { kind: { group: "", version: "v1", kind: "Event" }, dryRun: false, object };
    try {
      plugin.validate?.(attributes as never, { now: new Date(0) } as never);
      return "";
    } catch (error) {
      return messageOf(error);
    }
  };
  const [one, other] = ["x".repeat(1_000_000), `${"x".repeat(999_999)}y`];
  expect([refusal(one), refusal(other)]).toEqual(["", ""]);
  expect(refusal(one)).toMatch(/limit reached on type SourceAndObject for key x{64}… \(1000000 characters, .{43}\)$/);
});

test("events of different keys have buckets of their own, which fill up again; the least recently used is dropped", async () => {
  const plugin = eventRateLimit.create({
    ...settings,
    configuration: { EventRateLimit: { limits: [{ type: "SourceAndObject", qps: 1, burst: 2, cacheSize: 2 }] } },
  });
  const send = async (name: string, ms: number): Promise<number> => {
    const object = { metadata: { name: "o" }, involvedObject: { name }, source: {} };
    const write: Write = { resource: ["", "events"], kind: "Event", object, now: new Date(ms) };
    const sent = runPlugin({ name: "EventRateLimit", descriptor: plugin }, settings, write);
    return sent.then(
      () => 201,
      (error: ApiError) => error.status.code ?? 0,
    );
  };
  const codes: number[] = [];
  const writes = [
    ["a", 0],
    ["a", 0],
    ["a", 0],
    ["b", 0],
    ["a", 999],
    ["a", 1000],
    ["a", 1000],
    ["b", 1000],
    ["c", 1000],
    ["a", 1000],
  ] as const;
  for (const [name, ms] of writes) codes.push(await send(name, ms));
  expect(codes).toEqual([201, 201, 429, 201, 429, 201, 429, 201, 201, 201]);
});

test("tolerations in conflict with a whitelist are an error without a reason, as in the original", async () => {
  const stored = namespace({ [whitelist]: JSON.stringify([tolerate("a")]) });
  const object = pod({ tolerations: [tolerate("b")] });
  const refused = await run("PodTolerationRestriction", { resource: pods, object, stored }).catch(
    (error: ApiError) => error.status,
  );
  expect(refused).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    code: 500,
    message:
      "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist",
  });
});
