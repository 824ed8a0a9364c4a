import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { initialAvailability } from "../aggregator/initial-availability.ts";
import type { Config } from "../config.ts";
import { alwaysAdmit, alwaysDeny, alwaysPullImages } from "./always.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceAutoProvision, namespaceExists } from "./namespace-existence.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeRestriction } from "./node-restriction/node-restriction.ts";
import { implementedPlugins } from "./plugin-names.ts";
import { priority } from "./priority.ts";
import { resourceQuota } from "./resource-quota/resource-quota.ts";
import { type Rights, roleEscalation } from "./role-escalation.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { systemPriorityClassProtection } from "./system-priority-classes.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";
import { unenforcedPolicies } from "./unenforced.ts";

/**
 * The enabled plugins in their fixed order, and the server's own last steps: it sets the initial status of API services,
 * protects the objects that it needs itself, warns about or rejects policies that it does not enforce, and prevents privilege
 * escalation.
 */
export function admissionChain(
  config: Pick<Config, "admissionPlugins" | "flags" | "featureEnabled">,
  rights: Rights,
): readonly AdmissionPlugin[] {
  const { flags, admissionPlugins } = config;
  const all: readonly AdmissionPlugin[] = [
    alwaysAdmit,
    namespaceAutoProvision,
    namespaceLifecycle,
    namespaceExists,
    limitRanger,
    serviceAccount,
    nodeRestriction(config.featureEnabled("RecoverVolumeExpansionFailure")),
    taintNodesByCondition,
    alwaysPullImages,
    priority,
    defaultTolerationSeconds({
      notReadySeconds: flags["default-not-ready-toleration-seconds"],
      unreachableSeconds: flags["default-unreachable-toleration-seconds"],
    }),
    defaultStorageClass,
    storageObjectInUseProtection,
    runtimeClass,
    defaultIngressClass,
    resourceQuota(),
    alwaysDeny,
  ];
  const byName = new Map(all.map((plugin) => [plugin.name, plugin]));
  const enabled = implementedPlugins
    .filter((name) => admissionPlugins.has(name))
    .flatMap((name) => byName.get(name) ?? []);
  const own = [initialAvailability, systemPriorityClassProtection, unenforcedPolicies, roleEscalation(rights)];
  return [...enabled, ...own];
}
