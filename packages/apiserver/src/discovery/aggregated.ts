import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { parseAccept } from "../http/media-type.ts";
import type { HandlerTable, RemoteGroupVersion } from "../interfaces/index.ts";
import { type DiscoveredResource, discoveredResources } from "../registry/discovered-resources.ts";
import type { ServedGroup } from "./groups.ts";
import { remoteResources } from "./remote-resources.ts";

/**
 * The group and version in which a client requests aggregated discovery (KEP-3352): this project's name or upstream's.
 */
export interface AggregatedForm {
  readonly group: "apidiscovery.o8s.io" | "apidiscovery.k8s.io";
  readonly version: "v2" | "v2beta1";
}

/** The first acceptable form; undefined if the client prefers the unaggregated documents. */
export function aggregatedForm(accept: string | undefined): AggregatedForm | undefined {
  if (accept === undefined || !accept.includes("apidiscovery")) return undefined;
  for (const { type, parameters } of parseAccept(accept)) {
    const { as, g, v } = parameters;
    if (as === undefined) {
      if (type === "application/json" || type === "*/*") return undefined;
      continue;
    }
    if (type !== "application/json" || as !== "APIGroupDiscoveryList") continue;
    if ((g === "apidiscovery.o8s.io" || g === "apidiscovery.k8s.io") && (v === "v2" || v === "v2beta1")) {
      return { group: g, version: v };
    }
  }
  return undefined;
}

/** The media type of an aggregated response. */
export function aggregatedType({ group, version }: AggregatedForm): string {
  return `application/json;g=${group};v=${version};as=APIGroupDiscoveryList`;
}

function resourceOf(resource: DiscoveredResource, all: readonly DiscoveredResource[]): object {
  const { definition, verbs, group, version, kind } = resource;
  const subresources = all
    .filter((other) => other.definition === definition && other.subresource !== "")
    .map((other) => ({
      subresource: other.subresource,
      responseKind: { group: other.group, version: other.version, kind: other.kind },
      verbs: other.verbs,
    }));
  return {
    resource: definition.plural,
    responseKind: { group, version, kind },
    scope: definition.scope === "Namespaced" ? "Namespaced" : "Cluster",
    singularResource: definition.singular,
    verbs,
    ...(definition.shortNames?.length ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories?.length ? { categories: definition.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/**
 * An APIGroupDiscoveryList of the given groups ("" is the core group). Where both have it, a group version of another
 * server takes precedence over this server's own, as it does for requests.
 */
export function aggregatedList(
  form: AggregatedForm,
  groups: readonly ServedGroup[],
  definitions: readonly ResourceDefinition[],
  handlers: HandlerTable,
  elsewhere: readonly RemoteGroupVersion[] = [],
): object {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `${form.group}/${form.version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { ...(name === "" ? {} : { name }), creationTimestamp: null },
      versions: versions.map((version) => {
        const remote = elsewhere.find((other) => other.group === name && other.version === version);
        if (remote !== undefined) {
          return { version, resources: remoteResources(remote), freshness: remote.current ? "Current" : "Stale" };
        }
        const own = definitions.filter((definition) => definition.group === name && definition.version === version);
        const all = discoveredResources(own, handlers);
        return {
          version,
          resources: all.filter(({ subresource }) => subresource === "").map((resource) => resourceOf(resource, all)),
          freshness: "Current",
        };
      }),
    })),
  };
}
