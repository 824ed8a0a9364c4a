import type { OrchletConfiguration } from "@orchernetes/config";
import { messageOf } from "@orchernetes/kernel";
import { cpuOptionErrors } from "../cpu-manager/cpu-options.ts";
import { CpuSet } from "../topology/cpu-set.ts";
import { topologyOptionErrors } from "../topology-manager/topology-options.ts";

/** The feature gates of resource managers and of the API that shows what they have allocated. */
export const resourceManagerGates = [
  "CPUManagerPolicyAlphaOptions",
  "CPUManagerPolicyBetaOptions",
  "CPUManagerPolicyOptions",
  "MemoryManager",
  "OrchletPodResources",
  "OrchletPodResourcesGet",
  "OrchletPodResourcesGetAllocatable",
  "TopologyManagerPolicyAlphaOptions",
  "TopologyManagerPolicyOptions",
] as const;

/** Errors in the settings of the resource managers that do not depend on the machine; each begins with `field`. */
export function resourceManagerErrors(
  settings: OrchletConfiguration,
  enabled: (gate: string) => boolean,
): readonly string[] {
  return [
    ...cpuOptionErrors(settings, enabled),
    ...topologyOptionErrors(settings.topologyManagerPolicyOptions, enabled),
    ...reservedCpuErrors(settings.reservedSystemCPUs),
    ...(settings.memoryManagerPolicy !== "None" && !enabled("MemoryManager")
      ? ["field memoryManagerPolicy: want None, or feature gate MemoryManager on"]
      : []),
  ];
}

function reservedCpuErrors(text: string): readonly string[] {
  try {
    CpuSet.parse(text);
    return [];
  } catch (error) {
    return [`field reservedSystemCPUs: ${messageOf(error)}`];
  }
}
