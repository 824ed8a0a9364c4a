import { initialAvailability } from "../aggregator/initial-availability.ts";
import { alwaysAdmit, alwaysDeny, alwaysPullImages } from "./always.ts";
import { certificateApproval } from "./certificates/certificate-approval.ts";
import { certificateSigning } from "./certificates/certificate-signing.ts";
import { certificateSubjectRestriction } from "./certificates/certificate-subject-restriction.ts";
import { clusterTrustBundleAttest } from "./certificates/cluster-trust-bundle-attest.ts";
import { defaultIngressClass, defaultStorageClass } from "./default-classes.ts";
import { defaultTolerationSecondsPlugin } from "./default-toleration-seconds.ts";
import { denyServiceExternalIPs } from "./deny-service-external-ips.ts";
import { eventRateLimit } from "./event-rate-limit.ts";
import { extendedResourceToleration } from "./extended-resource-toleration.ts";
import { imagePolicyWebhook } from "./image-policy/image-policy-webhook.ts";
import { limitPodHardAntiAffinityTopology } from "./limit-pod-hard-anti-affinity-topology.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceAutoProvision, namespaceExists } from "./namespace-existence.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeRestrictionPlugin } from "./node-restriction/node-restriction.ts";
import { ownerReferencesPermissionEnforcement } from "./owner-references-permission-enforcement.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { persistentVolumeLabel } from "./persistent-volume-label.ts";
import { podNodeSelector } from "./pod-node-selector.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { podTolerationRestriction } from "./pod-toleration-restriction.ts";
import { priority, systemPriorityClassProtection } from "./priority.ts";
import { resourceQuotaPlugin } from "./resource-quota/resource-quota.ts";
import { roleEscalationPlugin } from "./role-escalation.ts";
import { runtimeClass } from "./runtime-class.ts";
import { securityContextDeny } from "./security-context-deny.ts";
import { serviceAccount } from "./service-account.ts";
import type { PluginDescriptor } from "./shared/plugin.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";
import { unenforcedPolicies } from "./unenforced.ts";
import { validatingPolicy } from "./validating-policy/validating-policy.ts";
import { mutatingAdmissionWebhook } from "./webhooks/mutating-webhooks.ts";
import { validatingAdmissionWebhook } from "./webhooks/validating-webhooks.ts";

/**
 * When a plugin runs: `byDefault` unless `--disable-admission-plugins` names it, `onRequest` if `--enable-admission-plugins` names
 * it, `always` without being known to the flags.
 */
type PluginState = "byDefault" | "onRequest" | "always";

/** A plugin's place in the order. */
export interface PluginEntry {
  readonly name: string;
  readonly state: PluginState;
  readonly descriptor: PluginDescriptor;
}

const entry = (state: PluginState, descriptor: PluginDescriptor): PluginEntry => ({
  name: descriptor.name,
  state,
  descriptor,
});

const byDefault = (plugin: PluginDescriptor) => entry("byDefault", plugin);
const onRequest = (plugin: PluginDescriptor) => entry("onRequest", plugin);
const always = (plugin: PluginDescriptor) => entry("always", plugin);

/**
 * Every admission plugin, in the order in which they run.
 *
 * The last ones are the server's own: it sets the initial status of API services, protects the objects that it needs itself, warns
 * about or rejects policies that it does not enforce, and prevents privilege escalation.
 */
export const pluginTable: readonly PluginEntry[] = [
  onRequest(alwaysAdmit),
  onRequest(namespaceAutoProvision),
  byDefault(namespaceLifecycle),
  onRequest(namespaceExists),
  onRequest(securityContextDeny),
  onRequest(limitPodHardAntiAffinityTopology),
  byDefault(limitRanger),
  byDefault(serviceAccount),
  onRequest(nodeRestrictionPlugin),
  byDefault(taintNodesByCondition),
  onRequest(alwaysPullImages),
  onRequest(imagePolicyWebhook),
  byDefault(podSecurity),
  onRequest(podNodeSelector),
  byDefault(priority),
  byDefault(defaultTolerationSecondsPlugin),
  onRequest(podTolerationRestriction),
  onRequest(eventRateLimit),
  onRequest(extendedResourceToleration),
  onRequest(persistentVolumeLabel),
  byDefault(defaultStorageClass),
  byDefault(storageObjectInUseProtection),
  onRequest(ownerReferencesPermissionEnforcement),
  byDefault(persistentVolumeClaimResize),
  byDefault(runtimeClass),
  byDefault(certificateApproval),
  byDefault(certificateSigning),
  byDefault(clusterTrustBundleAttest),
  byDefault(certificateSubjectRestriction),
  byDefault(defaultIngressClass),
  onRequest(denyServiceExternalIPs),
  byDefault(mutatingAdmissionWebhook),
  byDefault(validatingPolicy),
  byDefault(validatingAdmissionWebhook),
  byDefault(resourceQuotaPlugin),
  onRequest(alwaysDeny),
  always(initialAvailability),
  always(systemPriorityClassProtection),
  always(unenforcedPolicies),
  always(roleEscalationPlugin),
];

const namesOf = (select: (entry: PluginEntry) => boolean): readonly string[] =>
  pluginTable.filter(select).map(({ name }) => name);

/** Plugins that run unless switched off, in the order in which they run. */
export const defaultAdmissionPlugins = namesOf(({ state }) => state === "byDefault");

/** Plugins that run only when switched on, by name. */
export const otherAdmissionPlugins: readonly string[] = [...namesOf(({ state }) => state === "onRequest")].sort();

/** Plugins that flags may switch on, in the order in which they run. */
export const implementedPlugins = namesOf(({ state }) => state !== "always");
