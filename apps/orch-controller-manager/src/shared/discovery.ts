import { type Client, groupVersionPath, type ResourceRef } from "@orchernetes/client";

/** A resource that the server serves. */
export interface DiscoveredResource extends ResourceRef {
  readonly verbs: ReadonlySet<string>;
}

/** The result of a discovery. */
export interface DiscoveryResult {
  /** All resources in their preferred versions, without subresources. */
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that could not be read, with the reason. */
  readonly failures: ReadonlyMap<string, string>;
}

/** Finds the resources that the server serves, including those of extension servers and custom resources. */
export interface Discovery {
  /** Reads the resources from the server. @throws ApiError if the list of groups cannot be read */
  refresh(): Promise<DiscoveryResult>;
}

interface ApiResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs?: readonly string[];
  }[];
}
interface ApiGroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions?: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

/** Creates a discovery that reads the unaggregated documents: `/api`, `/apis` and one list per group version. */
export function createDiscovery(client: Client): Discovery {
  const get = <T>(path: string): Promise<T> => client.request({ method: "GET", path }) as Promise<T>;

  return {
    async refresh() {
      const [core, named] = await Promise.all([
        get<{ versions?: readonly string[] }>("/api"),
        get<ApiGroupList>("/apis"),
      ]);
      const groupVersions = [
        ...(core.versions ?? []).map((version) => ({ group: "", version, preferred: true })),
        ...(named.groups ?? []).flatMap(({ name, versions = [], preferredVersion }) =>
          versions.map(({ version }) => ({
            group: name,
            version,
            preferred: version === preferredVersion?.version,
          })),
        ),
      ];
      const failures = new Map<string, string>();
      const lists = await Promise.all(
        groupVersions.map((gv) =>
          get<ApiResourceList>(groupVersionPath(gv)).catch((error: unknown): ApiResourceList => {
            failures.set(gv.group === "" ? gv.version : `${gv.group}/${gv.version}`, String(error));
            return {};
          }),
        ),
      );
      // A resource may exist only in a version that is not preferred.
      const found = new Map<string, { readonly resource: DiscoveredResource; readonly preferred: boolean }>();
      for (const [i, { group, version, preferred }] of groupVersions.entries()) {
        for (const { name, kind, namespaced, verbs = [] } of lists[i]?.resources ?? []) {
          if (name.includes("/")) continue;
          const key = `${group}/${name}`;
          if (found.has(key) && !preferred) continue;
          if (found.get(key)?.preferred) continue;
          const scope = namespaced ? "Namespaced" : "Cluster";
          const resource = { group, version, plural: name, kind, scope, verbs: new Set(verbs) } as const;
          found.set(key, { resource, preferred });
        }
      }
      return { resources: [...found.values()].map(({ resource }) => resource), failures };
    },
  };
}
