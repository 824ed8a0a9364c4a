import { apiVersionOf, type ResourceDefinition } from "@orchernetes/apimachinery";

/** The version in which this server stores a resource, and the versions that it can read. */
export interface StoredResource {
  readonly group: string;
  readonly plural: string;
  readonly encodingVersion: string;
  readonly decodableVersions: readonly string[];
}

/** Returns the name of the StorageVersion object of a resource, such as `apps.deployments`. The core group is called `core`. */
export const storageVersionName = ({ group, plural }: Pick<StoredResource, "group" | "plural">): string =>
  `${group === "" ? "core" : group}.${plural}`;

/**
 * Returns an item for each group and resource that the server stores. Decodable are the stored version and all versions that share the
 * stored objects, including those of other groups (events of the core group and of events.o8s.io). Resources that are never stored, such
 * as reviews, are omitted.
 */
export function storedResources(definitions: readonly ResourceDefinition[]): readonly StoredResource[] {
  const stored = (definition: ResourceDefinition): ResourceDefinition => definition.storedAs?.definition ?? definition;
  const readable = new Map<string, Set<string>>();
  for (const definition of definitions) {
    const { storagePrefix } = stored(definition);
    if (storagePrefix === undefined) continue;
    const versions = readable.get(storagePrefix) ?? new Set([apiVersionOf(stored(definition))]);
    readable.set(storagePrefix, versions.add(apiVersionOf(definition)));
  }
  const found = new Map<string, StoredResource>();
  for (const definition of definitions) {
    const { group, plural } = definition;
    const versions = readable.get(stored(definition).storagePrefix ?? "");
    if (versions === undefined || found.has(`${group}/${plural}`)) continue;
    const encodingVersion = apiVersionOf(stored(definition));
    found.set(`${group}/${plural}`, { group, plural, encodingVersion, decodableVersions: [...versions].sort() });
  }
  return [...found.values()];
}
