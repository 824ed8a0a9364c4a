import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { apps, batch, core, networking, node, storage } from "../src/index.ts";
import { defaulted } from "./support.ts";

const warningsOf = (definition: unknown, input: object): readonly string[] => {
  const { strategy, ...rest } = definition as ResourceDefinition<ApiObject>;
  return strategy.warnings?.(defaulted({ strategy, ...rest }, input), undefined) ?? [];
};

const pod = (spec: object, annotations?: object) => ({
  metadata: { name: "p", annotations },
  spec: { containers: [{ name: "c", image: "i:1" }], ...spec },
});
const term = (key: string) => ({ matchExpressions: [{ key, operator: "Exists" }] });
const zone = "failure-domain.beta.orchernetes.io/zone";
const zoneText = 'deprecated since v1.17; use "topology.orchernetes.io/zone" instead';
const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const seccompProfile = { type: "RuntimeDefault" };

test.each<[name: string, pod: object, warnings: readonly string[]]>([
  ["nothing", pod({}, { a: "b" }), []],
  ["a node selector", pod({ nodeSelector: { [zone]: "a" } }), [`spec.nodeSelector[${zone}]: ${zoneText}`]],
  [
    "node affinity",
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term("x"), term(zone)] },
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: term(zone) }],
        },
      },
    }),
    [
      `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchExpressions[0].key: ${zone} is ${zoneText}`,
      `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: ${zone} is ${zoneText}`,
    ],
  ],
  [
    "topology spread",
    pod({ topologySpreadConstraints: [{ topologyKey: zone, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }] }),
    [`spec.topologySpreadConstraints[0].topologyKey: ${zone} is ${zoneText}`],
  ],
  [
    "annotations",
    pod({}, { "scheduler.alpha.orchernetes.io/critical-pod": "" }),
    [
      'metadata.annotations[scheduler.alpha.orchernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
    ],
  ],
  [
    "seccomp annotations without the fields",
    pod(
      {},
      {
        "seccomp.security.alpha.orchernetes.io/pod": "unconfined",
        "container.seccomp.security.alpha.orchernetes.io/c": "unconfined",
      },
    ),
    [
      `metadata.annotations[seccomp.security.alpha.orchernetes.io/pod]: ${seccomp}`,
      `metadata.annotations[container.seccomp.security.alpha.orchernetes.io/c]: ${seccomp}`,
    ],
  ],
  [
    "seccomp annotations with the field",
    pod({ securityContext: { seccompProfile } }, { "seccomp.security.alpha.orchernetes.io/pod": "runtime/default" }),
    [],
  ],
  [
    "repeated and empty names",
    pod({
      hostAliases: [{ ip: "10.0.0.1" }, { ip: "10.0.0.1" }],
      imagePullSecrets: [{ name: "a" }, { name: "a" }, {}],
    }),
    [
      'spec.hostAliases[1].ip: duplicate ip "10.0.0.1"',
      'spec.imagePullSecrets[1].name: duplicate name "a"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
  ],
  [
    "fractions of bytes",
    pod({ overhead: { memory: "1500m" } }),
    ['spec.overhead[memory]: fractional byte value "1500m" is invalid, must be an integer'],
  ],
])("a pod with %s", (_, given, want) => {
  expect(warningsOf(core.pods, given)).toEqual(want);
});

const template = { ...pod({ nodeSelector: { [zone]: "a" } }), metadata: { labels: { a: "b" } } };
const selector = { matchLabels: { a: "b" } };

test.each([
  ["deployments", apps.deployments, { spec: { selector, template } }, "spec.template"],
  ["stateful sets", apps.statefulSets, { spec: { selector, template, serviceName: "s" } }, "spec.template"],
  ["jobs", batch.jobs, { spec: { template } }, "spec.template"],
  [
    "cron jobs",
    batch.cronJobs,
    { spec: { schedule: "* * * * *", jobTemplate: { spec: { template } } } },
    "spec.jobTemplate.spec.template",
  ],
  ["pod templates", core.podTemplates, { template }, "template"],
])("templates of %s", (_, definition, given, path) => {
  const metadata = { name: "x" };
  expect(warningsOf(definition, { metadata, ...given })).toEqual([`${path}.spec.nodeSelector[${zone}]: ${zoneText}`]);
});

test.each([
  [
    "volumes",
    core.persistentVolumes,
    {
      metadata: { name: "v", annotations: { "volume.beta.orchernetes.io/storage-class": "a" } },
      spec: {
        persistentVolumeReclaimPolicy: "Recycle",
        nodeAffinity: { required: { nodeSelectorTerms: [term(zone)] } },
        quobyte: { registry: "r", volume: "v" },
      },
    },
    [
      'metadata.annotations[volume.beta.orchernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: ${zone} is ${zoneText}`,
      "spec.quobyte: deprecated in v1.22, non-functional in v1.25+",
    ],
  ],
  [
    "claims",
    core.persistentVolumeClaims,
    {
      metadata: { name: "c", annotations: { "volume.beta.orchernetes.io/storage-class": "a" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1.5" }, limits: { storage: "2Gi" } } },
    },
    [
      'metadata.annotations[volume.beta.orchernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  ],
  [
    "services",
    core.services,
    {
      metadata: { name: "s", annotations: { "service.orchernetes.io/topology-aware-hints": "Auto" } },
      spec: {
        clusterIPs: ["10.0.0.010", "2001:db8:0::1"],
        externalIPs: ["10.0.0.10", "2001:DB8::2"],
        loadBalancerIP: "192.168.00.1",
      },
    },
    [
      "annotation service.orchernetes.io/topology-aware-hints is deprecated, please use service.orchernetes.io/topology-mode instead",
      'spec.clusterIPs[0]: IP address was accepted, but will be invalid in a future Orchernetes release: ParseAddr("10.0.0.010"): IPv4 field has octet with leading zero',
      'spec.clusterIPs[1]: IPv6 address "2001:db8:0::1" is not in RFC 5952 canonical format ("2001:db8::1"), which may cause controller apply-loops',
      'spec.externalIPs[1]: IPv6 address "2001:DB8::2" is not in RFC 5952 canonical format ("2001:db8::2"), which may cause controller apply-loops',
      'spec.loadBalancerIP: IP address was accepted, but will be invalid in a future Orchernetes release: ParseAddr("192.168.00.1"): IPv4 field has octet with leading zero',
    ],
  ],
  ["headless services", core.services, { spec: { clusterIP: "None", clusterIPs: ["None"] } }, []],
  [
    "nodes",
    core.nodes,
    { spec: { externalID: "a", configSource: { configMap: { name: "c" } } } },
    [
      "spec.configSource: the feature is no longer supported",
      "spec.externalID: this field is deprecated, and is unused by Orchernetes",
    ],
  ],
  [
    "storage classes",
    storage.storageClasses,
    { provisioner: "p", allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ["a"] }] }] },
    [`allowedTopologies[0].matchLabelExpressions[0].key: ${zoneText}`],
  ],
  [
    "storage capacities",
    storage.csiStorageCapacities,
    {
      storageClassName: "a",
      nodeTopology: { matchLabels: { [zone]: "a" }, matchExpressions: term(zone).matchExpressions },
    },
    [`nodeTopology.matchExpressions[0].key: ${zone} is ${zoneText}`, `nodeTopology.matchLabels.${zone}: ${zoneText}`],
  ],
  [
    "runtime classes",
    node.runtimeClasses,
    { handler: "h", scheduling: { nodeSelector: { [zone]: "a" } } },
    [`scheduling.nodeSelector: ${zoneText}`],
  ],
  [
    "ingresses",
    networking.ingresses,
    { metadata: { name: "i", annotations: { "orchernetes.io/ingress.class": "a" } }, spec: {} },
    ["annotation \"orchernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"],
  ],
])("%s", (_, definition, given, want) => {
  expect(warningsOf(definition, { metadata: { name: "x" }, ...given })).toEqual(want);
});
