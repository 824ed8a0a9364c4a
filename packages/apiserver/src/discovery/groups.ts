import type { ResourceDefinition } from "@orchernetes/apimachinery";
import type { GroupVersion, GroupVersionRank } from "../interfaces/index.ts";

/** The versions of one API group, best first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

const pattern = /^v([1-9][0-9]{0,8})(?:(alpha|beta)([1-9][0-9]{0,8}))?$/;

/**
 * Stage (stable 2, beta 1, alpha 0, other -1), major and minor number. Upstream:
 * `version.CompareKubeAwareVersionStrings`.
 */
function rank(version: string): readonly [number, number, number] {
  const match = pattern.exec(version);
  if (match === null) return [-1, 0, 0];
  const stage = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}

/** Orders versions as clients should prefer them: stable before beta before alpha, then the higher number. */
export function compareVersions(a: string, b: string): number {
  const [stageA, majorA, minorA] = rank(a);
  const [stageB, majorB, minorB] = rank(b);
  return stageB - stageA || majorB - majorA || minorB - minorA || (a < b ? -1 : a > b ? 1 : 0);
}

/** Returns the priorities of a group and of a version of it; higher comes first. */
export type RankOf = (group: string, version: string) => GroupVersionRank;

const equal: RankOf = () => ({ group: 0, version: 0 });

/**
 * The served named groups, ordered by priority, where a group has the greatest of its versions; with equal priorities
 * in the order in which their first resources were added. The core group "" is not among them.
 */
export function servedGroups(
  definitions: readonly ResourceDefinition[],
  elsewhere: readonly GroupVersion[],
  rankOf: RankOf = equal,
): readonly ServedGroup[] {
  const groups = new Map<string, Map<string, number>>();
  const ranks = new Map<string, number>();
  for (const { group, version } of [...definitions, ...elsewhere]) {
    if (group === "") continue;
    const versions = groups.get(group) ?? new Map<string, number>();
    groups.set(group, versions);
    if (versions.has(version)) continue;
    const rank = rankOf(group, version);
    versions.set(version, rank.version);
    ranks.set(group, Math.max(ranks.get(group) ?? 0, rank.group));
  }
  const ordered = [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions.keys()].sort(
      (a, b) => (versions.get(b) ?? 0) - (versions.get(a) ?? 0) || compareVersions(a, b),
    ),
  }));
  return ordered.sort((a, b) => (ranks.get(b.name) ?? 0) - (ranks.get(a.name) ?? 0));
}

/** An APIGroup without kind and apiVersion, as an item of an APIGroupList. */
export function apiGroup({ name, versions }: ServedGroup): object {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}
