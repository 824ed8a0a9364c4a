import type { ResourceDefinition } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, GroupVersionKind, GroupVersionResource, Registry } from "@orchernetes/apiserver";

/** Another version under which a resource is served, with the kind of its objects there. */
export interface EquivalentResource {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/** What identifies the objects behind a resource: where they are stored. */
const storageOf = (definition: ResourceDefinition): string =>
  (definition.storedAs?.definition ?? definition).storagePrefix ?? `${definition.group}/${definition.plural}`;

/** The kind of a subresource's objects; undefined if the resource has no such subresource. */
function kindOf(definition: ResourceDefinition, subresource: string): GroupVersionKind | undefined {
  const { group, version, kind } = definition;
  if (subresource === "") return { group, version, kind };
  const { subresources = {} } = definition;
  const found = Object.hasOwn(subresources, subresource) ? subresources[subresource] : undefined;
  switch (found?.type) {
    case undefined:
      return undefined;
    case "scale":
      return { group: "autoscaling", version: "v1", kind: "Scale" };
    case "handler":
      return { group: found.group, version: found.version, kind: found.kind };
    default:
      return { group, version, kind };
  }
}

/** Finds the other versions of resources: those that serve the same stored objects. Remembers them until the registry changes. */
export class EquivalentResources {
  #registry: Registry | undefined;
  #generation = -1;
  #known = new Map<ResourceDefinition, Map<string, readonly EquivalentResource[]>>();

  /** In the order in which the registry lists them, without the resource itself. */
  of(
    { definition, subresource }: Pick<AdmissionAttributes, "definition" | "subresource">,
    registry: Registry,
  ): readonly EquivalentResource[] {
    if (definition === undefined) return [];
    if (this.#registry !== registry || this.#generation !== registry.generation) {
      this.#registry = registry;
      this.#generation = registry.generation;
      this.#known = new Map();
    }
    const bySubresource = this.#known.get(definition) ?? new Map<string, readonly EquivalentResource[]>();
    this.#known.set(definition, bySubresource);
    const found = bySubresource.get(subresource) ?? equivalentsOf(definition, subresource, registry);
    bySubresource.set(subresource, found);
    return found;
  }
}

function equivalentsOf(
  definition: ResourceDefinition,
  subresource: string,
  registry: Registry,
): readonly EquivalentResource[] {
  const storage = storageOf(definition);
  return registry.definitions().flatMap((other) => {
    const { group, version, plural } = other;
    const isSame = group === definition.group && version === definition.version && plural === definition.plural;
    if (isSame || storageOf(other) !== storage) return [];
    const kind = kindOf(other, subresource);
    return kind === undefined ? [] : [{ resource: { group, version, resource: plural }, kind }];
  });
}
