import type { ResourceDefinition } from "@orchernetes/apimachinery";

/** The versions of one API group, best first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

const pattern = /^v([1-9][0-9]{0,8})(?:(alpha|beta)([1-9][0-9]{0,8}))?$/;

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

/** The named groups served, in the order their first resource was added; the core group "" is not among them. */
export function servedGroups(
  definitions: readonly ResourceDefinition[],
  elsewhere: readonly { readonly group: string; readonly version: string }[],
): readonly ServedGroup[] {
  const groups = new Map<string, Set<string>>();
  for (const { group, version } of [...definitions, ...elsewhere]) {
    if (group === "") continue;
    const versions = groups.get(group) ?? new Set();
    groups.set(group, versions.add(version));
  }
  return [...groups].map(([name, versions]) => ({ name, versions: [...versions].sort(compareVersions) }));
}

/** An APIGroup without kind and apiVersion, as it stands in an APIGroupList. */
export function apiGroup({ name, versions }: ServedGroup): object {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}
