import { isNotFound } from "@orchernetes/apimachinery";
import { type Client, groupVersionPath, type ResourceRef } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";

/** Maps kinds to resources. */
export interface RestMapper {
  /**
   * The resources of a kind, in the group's preferred version first. Results are cached for half a minute.
   *
   * @param version restricts the result to this version
   * @throws Error `no matches for kind …` if the kind is not served; ApiError if discovery fails
   */
  mappings(kind: GroupKind, version?: string): Promise<readonly ResourceRef[]>;
}

interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** Lifetime of cached results. */
const keptMs = 30_000;

interface Versions {
  readonly versions?: readonly (string | { readonly version: string })[];
  readonly preferredVersion?: { readonly version: string };
}
interface Resources {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/** Creates a mapper that reads only the discovery documents of the requested group. */
export function createRestMapper(client: Client, clock: Clock): RestMapper {
  const kept = new Map<string, { readonly untilMs: number; readonly refs: Promise<readonly ResourceRef[]> }>();
  const get = async <T extends object>(path: string): Promise<T | Record<string, never>> => {
    try {
      return (await client.request({ method: "GET", path })) as T;
    } catch (error) {
      if (isNotFound(error)) return {};
      throw error;
    }
  };

  const discover = async (group: string): Promise<readonly ResourceRef[]> => {
    const { versions = [], preferredVersion } = await get<Versions>(group === "" ? "/api" : `/apis/${group}`);
    const names = versions.map((entry) => (typeof entry === "string" ? entry : entry.version));
    const preferred = preferredVersion?.version;
    const ordered = preferred === undefined ? names : [preferred, ...names.filter((name) => name !== preferred)];
    const lists = await Promise.all(
      ordered.map(async (version) => {
        const { resources = [] } = await get<Resources>(groupVersionPath({ group, version }));
        return resources
          .filter(({ name }) => !name.includes("/"))
          .map(({ name, kind, namespaced }): ResourceRef => {
            return { group, version, plural: name, kind, scope: namespaced ? "Namespaced" : "Cluster" };
          });
      }),
    );
    return lists.flat();
  };

  return {
    async mappings({ group, kind }, version) {
      const nowMs = clock.monotonicMs();
      let entry = kept.get(group);
      if (entry === undefined || entry.untilMs <= nowMs) {
        entry = { untilMs: nowMs + keptMs, refs: discover(group) };
        kept.set(group, entry);
      }
      let refs: readonly ResourceRef[];
      try {
        refs = await entry.refs;
      } catch (error) {
        if (kept.get(group) === entry) kept.delete(group);
        throw error;
      }
      const found = refs.filter((ref) => ref.kind === kind && (version === undefined || ref.version === version));
      if (found.length > 0) return found;
      // Do not cache misses: the resource may be added soon.
      if (kept.get(group) === entry) kept.delete(group);
      const where =
        version === undefined ? `group ${JSON.stringify(group)}` : `version ${JSON.stringify(gv(group, version))}`;
      throw new Error(`no matches for kind ${JSON.stringify(kind)} in ${where}`);
    },
  };
}

const gv = (group: string, version: string): string => (group === "" ? version : `${group}/${version}`);
