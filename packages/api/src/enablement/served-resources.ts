import { qualifiedResource, type ResourceDefinition } from "@orchernetes/apimachinery";
import { allResources } from "../resources.ts";
import { knownVersions } from "./group-versions.ts";
import { loadOptionalResources } from "./optional-resources.ts";
import type { ApiEnablement } from "./runtime-config.ts";

/** The resources that a server serves, and those that it does not. */
export interface ServedResources {
  /** Resources in the order of groups in discovery. */
  readonly served: readonly ResourceDefinition[];
  /** Resources that are on by default but switched off. The server's own parts may still use stored objects of them. */
  readonly unserved: readonly ResourceDefinition[];
  /** Messages for the administrator, without a period. */
  readonly warnings: readonly string[];
}

/** Warnings for administrators who enable a resource that only stores objects, by `group/resource`. */
export const cautions: Readonly<Record<string, string>> = {
  "networking.o8s.io/clustercidrs":
    "ranges are stored, but nodes get theirs from them only with --cidr-allocator-type=MultiCIDRRangeAllocator of orch-controller-manager and its feature gate",
  "networking.o8s.io/ipaddresses":
    "addresses are stored, but services get theirs from them only with feature gate MultiCIDRServiceAllocator",
  "resource.o8s.io/resourceclaims": "claims are stored, but nothing allocates them",
};

/** Feature gates that make a caution needless, by `group/resource`. */
const cautionGates: Readonly<Record<string, string>> = { "networking.o8s.io/ipaddresses": "MultiCIDRServiceAllocator" };

const groupOrder = new Map(Object.keys(knownVersions).map((group, i) => [group, i]));
const orderOf = ({ group }: ResourceDefinition): number => groupOrder.get(group) ?? groupOrder.size;
const keyOf = ({ group, version, plural }: ResourceDefinition): string => `${group}/${version}/${plural}`;

/**
 * Determines which resources are served. Versions that are off by default are imported only if they are enabled.
 *
 * @param more resources that are on by default but defined elsewhere, such as CustomResourceDefinition
 */
export async function servedResources(
  enablement: ApiEnablement,
  featureEnabled: (gate: string) => boolean,
  more: readonly ResourceDefinition[] = [],
): Promise<ServedResources> {
  const warnings: string[] = [];
  const optional = await loadOptionalResources(enablement.anyEnabled);
  const byDefault = [...allResources, ...more];
  const known = [...byDefault, ...optional];
  const isServed = (definition: ResourceDefinition): boolean => {
    const { group, version, plural } = definition;
    if (!enablement.enabled(group, version, plural)) return false;
    const gate = definition.featureGate;
    if (gate === undefined || featureEnabled(gate)) return true;
    warnings.push(`${qualifiedResource(definition)} in ${version} stays off: feature gate ${gate} is not enabled`);
    return false;
  };
  const served = known.filter(isServed).sort((a, b) => orderOf(a) - orderOf(b));
  const names = new Set(known.map(keyOf));
  for (const name of enablement.named) {
    if (!names.has(name) && enablement.enabled(...partsOf(name)))
      warnings.push(`--runtime-config names ${name.replace(/^\//, "")}, and there is no such resource`);
  }
  const seen = new Set<string>();
  for (const { group, plural } of served) {
    const key = `${group}/${plural}`;
    const caution = cautions[key];
    const gate = cautionGates[key];
    const isNeedless = gate !== undefined && featureEnabled(gate);
    if (caution !== undefined && !seen.has(key) && !isNeedless)
      warnings.push(`${plural}.${group} is switched on: ${caution}`);
    seen.add(key);
  }
  const unserved = byDefault.filter((definition) => !served.includes(definition));
  return { served, unserved, warnings };
}

function partsOf(name: string): [string, string, string] {
  const [group = "", version = "", plural = ""] = name.split("/");
  return [group, version, plural];
}
