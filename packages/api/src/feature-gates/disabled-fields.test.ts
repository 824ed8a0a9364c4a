import type { ApiObject, Draft, ResourceDefinition } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { merged } from "../../test/support.ts";
import { validatingWebhookConfigurations } from "../admissionregistration/v1/webhook-configurations.ts";
import { statefulSets } from "../apps/v1/stateful-set.ts";
import { horizontalPodAutoscalers } from "../autoscaling/v2/horizontal-pod-autoscaler.ts";
import { cronJobs } from "../batch/v1/cron-job.ts";
import { jobs } from "../batch/v1/job.ts";
import { configMaps } from "../core/v1/config-map.ts";
import { persistentVolumes } from "../core/v1/persistent-volume.ts";
import { persistentVolumeClaims } from "../core/v1/persistent-volume-claim.ts";
import { pods } from "../core/v1/pod.ts";
import { endpointSlices } from "../discovery/v1/endpoint-slice.ts";
import { podDisruptionBudgets } from "../policy/v1/pod-disruption-budget.ts";
import { erase } from "../shared/definitions.ts";
import { csiDrivers } from "../storage/v1/csi-driver.ts";
import { disabledFields } from "./disabled-fields.ts";

const apparmor = "container.apparmor.security.beta.orchernetes.io/c";
const container = (more: object): object => ({ spec: { containers: [{ name: "c", ...more }] } });
const spread = (more: object): object => ({ spec: { topologySpreadConstraints: [{ maxSkew: 1, ...more }] } });

type Case = [gate: string, definition: ResourceDefinition, uses: object, without: object];
const of = <T extends ApiObject>(
  gate: string,
  definition: ResourceDefinition<T>,
  uses: object,
  without: object,
): Case => [gate, erase(definition), uses, without];

const cases: readonly Case[] = [
  of(
    "AdmissionWebhookMatchConditions",
    validatingWebhookConfigurations,
    { webhooks: [{ name: "a", matchConditions: [{ name: "m" }] }, { name: "b" }] },
    { webhooks: [{ name: "a" }, { name: "b" }] },
  ),
  of(
    "AnyVolumeDataSource",
    persistentVolumeClaims,
    { spec: { dataSourceRef: { kind: "K", name: "n" } } },
    { spec: {} },
  ),
  of(
    "AppArmor",
    pods,
    { metadata: { annotations: { [apparmor]: "runtime/default", a: "b" } } },
    { metadata: { annotations: { a: "b" } } },
  ),
  of(
    "AppArmor",
    cronJobs,
    { spec: { jobTemplate: { spec: { template: { metadata: { annotations: { [apparmor]: "x" } } } } } } },
    { spec: { jobTemplate: { spec: { template: { metadata: { annotations: {} } } } } } },
  ),
  of(
    "CSINodeExpandSecret",
    persistentVolumes,
    { spec: { csi: { driver: "d", nodeExpandSecretRef: { name: "s" } } } },
    { spec: { csi: { driver: "d" } } },
  ),
  of(
    "CrossNamespaceVolumeDataSource",
    persistentVolumeClaims,
    { spec: { volumeMode: "Block", dataSourceRef: { kind: "K", name: "n", namespace: "o" } } },
    { spec: { volumeMode: "Block" } },
  ),
  of(
    "DynamicResourceAllocation",
    pods,
    { spec: { resourceClaims: [{ name: "r" }], containers: [{ name: "c", resources: { claims: [{ name: "r" }] } }] } },
    { spec: { containers: [{ name: "c", resources: {} }] } },
  ),
  of(
    "HPAContainerMetrics",
    horizontalPodAutoscalers,
    { spec: { metrics: [{ type: "ContainerResource", containerResource: { name: "cpu" } }] } },
    { spec: { metrics: [{ type: "ContainerResource" }] } },
  ),
  of(
    "InPlacePodVerticalScaling",
    pods,
    {
      ...container({ resizePolicy: [{ resourceName: "cpu" }] }),
      status: {
        resize: "Proposed",
        containerStatuses: [{ name: "c", allocatedResources: { cpu: "1" }, resources: { limits: { cpu: "1" } } }],
      },
    },
    { ...container({}), status: { containerStatuses: [{ name: "c" }] } },
  ),
  of("JobPodFailurePolicy", jobs, { spec: { podFailurePolicy: { rules: [] } } }, { spec: {} }),
  of("MatchLabelKeysInPodTopologySpread", pods, spread({ matchLabelKeys: ["a"] }), spread({})),
  of(
    "MaxUnavailableStatefulSet",
    statefulSets,
    { spec: { updateStrategy: { rollingUpdate: { partition: 0, maxUnavailable: 2 } } } },
    { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } },
  ),
  of("MinDomainsInPodTopologySpread", pods, spread({ minDomains: 2 }), spread({})),
  of(
    "NodeInclusionPolicyInPodTopologySpread",
    pods,
    spread({ nodeAffinityPolicy: "Honor", nodeTaintsPolicy: "Honor" }),
    spread({}),
  ),
  of(
    "PDBUnhealthyPodEvictionPolicy",
    podDisruptionBudgets,
    { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } },
    { spec: {} },
  ),
  of("PodSchedulingReadiness", pods, { spec: { schedulingGates: [{ name: "g" }] } }, { spec: {} }),
  of(
    "ProbeTerminationGracePeriod",
    pods,
    container({
      livenessProbe: { terminationGracePeriodSeconds: 1 },
      startupProbe: { terminationGracePeriodSeconds: 1, periodSeconds: 2 },
    }),
    container({ livenessProbe: {}, startupProbe: { periodSeconds: 2 } }),
  ),
  of(
    "ProcMountType",
    pods,
    container({ securityContext: { procMount: "Unmasked" } }),
    container({ securityContext: { procMount: "Default" } }),
  ),
  of(
    "RecoverVolumeExpansionFailure",
    persistentVolumeClaims,
    { status: { allocatedResources: { storage: "1Gi" }, resizeStatus: "NodeExpansionPending" } },
    { status: {} },
  ),
  of("SELinuxMountReadWriteOncePod", csiDrivers, { spec: { seLinuxMount: false } }, { spec: {} }),
  of(
    "StatefulSetAutoDeletePVC",
    statefulSets,
    { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } } },
    { spec: {} },
  ),
  of("StatefulSetStartOrdinal", statefulSets, { spec: { ordinals: { start: 3 } } }, { spec: {} }),
  of(
    "TopologyAwareHints",
    endpointSlices,
    { endpoints: [{ hints: { forZones: [{ name: "z" }] } }, {}] },
    { endpoints: [{}, {}] },
  ),
  of("UserNamespacesStatelessPodsSupport", pods, { spec: { hostUsers: false } }, { spec: {} }),
];

const without = (gate: string) => (name: string) => name !== gate;
const drop = (gate: string, definition: ResourceDefinition, object: object, old?: object): object => {
  const draft = structuredClone(object);
  disabledFields(definition, without(gate))?.drop(draft as Draft<ApiObject>, old as ApiObject | undefined);
  return draft;
};

test.each(cases)(
  "%s: fields are dropped on create and when an update starts to use them",
  (gate, definition, uses, expected) => {
    expect(drop(gate, definition, uses)).toEqual(expected);
    expect(drop(gate, definition, uses, expected)).toEqual(expected);
    expect(drop(gate, definition, expected)).toEqual(expected);
  },
);

test.each(cases)("%s: fields are kept in objects that already use the feature", (gate, definition, uses) => {
  expect(drop(gate, definition, merged(uses, { metadata: { labels: { a: "b" } } }) as object, uses)).toEqual(
    merged(uses, { metadata: { labels: { a: "b" } } }),
  );
});

test.each(cases)("%s: nothing is dropped while the feature is enabled", (_, definition, uses) => {
  const draft = structuredClone(uses);
  disabledFields(definition, () => true)?.drop(draft as Draft<ApiObject>, undefined);
  expect(draft).toEqual(uses);
});

test("the grace period of a readiness probe is not dropped but rejected by validation", () => {
  const object = container({ readinessProbe: { terminationGracePeriodSeconds: 1 } });
  expect(drop("ProbeTerminationGracePeriod", erase(pods), object)).toEqual(object);
});

test("each feature is considered independently", () => {
  const old = spread({ minDomains: 2 });
  const object = spread({ minDomains: 3, matchLabelKeys: ["a"] });
  const gates = ["MinDomainsInPodTopologySpread", "MatchLabelKeysInPodTopologySpread"];
  disabledFields(pods as unknown as ResourceDefinition, (gate) => !gates.includes(gate))?.drop(
    object as Draft<ApiObject>,
    old as ApiObject,
  );
  expect(object).toEqual(spread({ minDomains: 3 }));
});

test("kinds without gated fields have nothing to do", () => {
  expect(disabledFields(erase(configMaps), () => false)).toBeUndefined();
  expect(disabledFields(erase(pods), () => true)).toBeUndefined();
});
