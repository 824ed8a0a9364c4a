import { apiVersionOf, type ResourceDefinition } from "@orchernetes/apimachinery";

/** In which version a resource is stored here, and which versions can be read. */
export interface StoredResource {
  readonly group: string;
  readonly plural: string;
  readonly encodingVersion: string;
  readonly decodableVersions: readonly string[];
}

/** Name of the StorageVersion of a resource. The core group, which has no name, is called `core`. */
export const storageVersionName = ({ group, plural }: Pick<StoredResource, "group" | "plural">): string =>
  `${group === "" ? "core" : group}.${plural}`;

/**
 * What a server stores, one item for each group and resource. Readable are the version that is stored and all that share the stored
 * objects, also those of other groups. Resources that are never stored are left out.
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
