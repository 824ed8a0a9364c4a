import { createHash } from "node:crypto";
import { capabilitiesOf, type ResourceDefinition, type Subresource } from "@orchernetes/apimachinery";
import { assertNever } from "@orchernetes/kernel";
import { type HandlerTable, handlerKey } from "../interfaces/index.ts";

/**
 * A served resource or subresource as discovery shows it. Group, version and kind are those of the object in the body:
 * `scale` of a Deployment has kind Scale of autoscaling/v1.
 */
export interface DiscoveredResource {
  /** `deployments`, or `deployments/scale` for a subresource. */
  readonly name: string;
  readonly definition: ResourceDefinition;
  /** "" for the resource itself. */
  readonly subresource: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

const scaleVerbs = ["get", "patch", "update"] as const;

/** A subresource as discovery shows it; undefined if this server does not serve it. */
function subresourceOf(
  definition: ResourceDefinition,
  name: string,
  subresource: Subresource<never>,
  handlers: HandlerTable,
): DiscoveredResource | undefined {
  const base = { name: `${definition.plural}/${name}`, definition, subresource: name };
  const { group, version, kind } = definition;
  switch (subresource.type) {
    case "scale":
      return { ...base, group: "autoscaling", version: "v1", kind: "Scale", verbs: scaleVerbs };
    case "handler":
      // Without a handler there is nothing to call.
      if (handlers[handlerKey(group, definition.plural, name)] === undefined) return undefined;
      return {
        ...base,
        group: subresource.group,
        version: subresource.version,
        kind: subresource.kind,
        verbs: [...subresource.verbs].sort(),
      };
    case "status":
    case "object":
      return { ...base, group, version, kind, verbs: [...subresource.verbs].sort() };
    default:
      return assertNever(subresource);
  }
}

/**
 * Everything served in one group version, sorted by name in the order of code units, as Go sorts strings: clients
 * compare and cache the bytes of discovery documents.
 */
export function discoveredResources(
  definitions: readonly ResourceDefinition[],
  handlers: HandlerTable,
): readonly DiscoveredResource[] {
  const found: DiscoveredResource[] = [];
  for (const definition of definitions) {
    const { group, version, kind, plural } = definition;
    found.push({
      name: plural,
      definition,
      subresource: "",
      group,
      version,
      kind,
      verbs: capabilitiesOf(definition).sortedVerbs ? [...definition.verbs].sort() : definition.verbs,
    });
    for (const [name, subresource] of Object.entries(definition.subresources ?? {})) {
      const resource = subresourceOf(definition, name, subresource as Subresource<never>, handlers);
      if (resource !== undefined) found.push(resource);
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/**
 * Identifies the version of stored objects for the storage migrator: the first 8 bytes of the SHA-256 of stored group,
 * version and kind in base64, as upstream computes it (`discovery.StorageVersionHash`).
 */
function storageVersionHash(definition: ResourceDefinition): string | undefined {
  const stored = definition.storedAs?.definition ?? definition;
  if (stored.storagePrefix === undefined) return undefined;
  const text = `${stored.group}/${stored.version}/${stored.kind}`;
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}

/**
 * One entry of an APIResourceList. Group and version are left out where they are those of the list.
 *
 * @param withHash whether `storageVersionHash` is included (gate StorageVersionHash)
 */
export function apiResource(resource: DiscoveredResource, withHash: boolean): object {
  const { definition, subresource, group, version, kind, verbs, name } = resource;
  const own = group === definition.group && version === definition.version;
  const hash = withHash && subresource === "" ? storageVersionHash(definition) : undefined;
  return {
    name,
    singularName: subresource === "" ? definition.singular : "",
    namespaced: definition.scope === "Namespaced",
    ...(own ? {} : { group, version }),
    kind,
    verbs,
    ...(subresource === "" && definition.shortNames?.length ? { shortNames: definition.shortNames } : {}),
    ...(subresource === "" && definition.categories?.length ? { categories: definition.categories } : {}),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  };
}
