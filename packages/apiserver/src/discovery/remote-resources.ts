import type { RemoteGroupVersion, RemoteResource } from "../interfaces/index.ts";

function kindOf({ group, version }: RemoteGroupVersion, resource: RemoteResource): object {
  return { group: resource.group || group, version: resource.version || version, kind: resource.kind };
}

const filled = (list: readonly string[] | undefined): boolean => list !== undefined && list.length > 0;

/** The resources of a group version of another server, in the form of aggregated discovery. */
export function remoteResources(remote: RemoteGroupVersion): readonly object[] {
  const subresources = new Map<string, object[]>();
  for (const resource of remote.resources) {
    const slash = resource.name.indexOf("/");
    if (slash < 0) continue;
    const parent = resource.name.slice(0, slash);
    const known = subresources.get(parent) ?? [];
    known.push({
      subresource: resource.name.slice(slash + 1),
      responseKind: kindOf(remote, resource),
      verbs: resource.verbs,
    });
    subresources.set(parent, known);
  }
  return remote.resources
    .filter(({ name }) => !name.includes("/"))
    .map((resource) => {
      const { name, namespaced, singularName, verbs, shortNames, categories } = resource;
      const below = subresources.get(name);
      return {
        resource: name,
        responseKind: kindOf(remote, resource),
        scope: namespaced ? "Namespaced" : "Cluster",
        singularResource: singularName,
        verbs,
        ...(filled(shortNames) ? { shortNames } : {}),
        ...(filled(categories) ? { categories } : {}),
        ...(below === undefined ? {} : { subresources: below }),
      };
    });
}
