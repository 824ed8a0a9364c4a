import { join } from "node:path";
import type { CgroupReader } from "./host/cgroup-usage.ts";

/** Names of the group of all pods: of driver cgroupfs and of driver systemd. */
const roots = ["orchpods", "orchpods.slice"] as const;

/** Groups of classes are above those of pods. */
const maxDepth = 3;

/** The group that all pods are below; undefined if there is none. @param cgroupRoot of the configuration */
export function podsGroup(groups: CgroupReader, cgroupRoot: string): string | undefined {
  return roots.map((name) => join("/", cgroupRoot, name)).find((path) => groups.exists(path));
}

/**
 * The groups of pods by the uid of the pod, whatever class they are in: `pod<uid>`, or
 * `orchpods-burstable-pod<uid with _ for ->.slice` of driver systemd.
 */
export function podGroups(groups: CgroupReader, cgroupRoot: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const search = (path: string, depth: number): void => {
    for (const name of groups.children(path)) {
      const uid = uidOf(name);
      if (uid !== undefined) found.set(uid, join(path, name));
      else if (depth < maxDepth) search(join(path, name), depth + 1);
    }
  };
  const top = podsGroup(groups, cgroupRoot);
  if (top !== undefined) search(top, 1);
  return found;
}

function uidOf(name: string): string | undefined {
  const slice = /^(?:.*-)?pod([^-]+)\.slice$/.exec(name)?.[1];
  if (slice !== undefined && slice !== "s") return slice.replaceAll("_", "-");
  return name.endsWith(".slice") ? undefined : /^pod(.+)$/.exec(name)?.[1];
}

/** The group of a container or sandbox in the group of its pod: its id, or `<runtime>-<id>.scope` of driver systemd. */
export function containerGroup(groups: CgroupReader, podGroup: string, id: string): string | undefined {
  if (groups.exists(join(podGroup, id))) return join(podGroup, id);
  const name = groups.children(podGroup).find((child) => child.endsWith(`-${id}.scope`));
  return name === undefined ? undefined : join(podGroup, name);
}
