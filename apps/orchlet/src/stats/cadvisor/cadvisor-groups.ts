import { join } from "node:path";
import { podsGroup } from "../pod-groups.ts";
import type { RunningContainer, RunningPod } from "../running-pods.ts";
import { systemContainers, type UsageSource } from "../usage-source.ts";

/** A control group whose metrics are shown. */
export interface ShownGroup {
  /** Label `id`. */
  readonly path: string;
  readonly labels: Readonly<Record<"container" | "image" | "name" | "namespace" | "pod", string>>;
  /** Whether its processes have the network of the host or of a pod, which is shown with them. */
  readonly hasNetwork: boolean;
  /** The container that the group belongs to, if it is one of a pod. */
  readonly container: RunningContainer | undefined;
  readonly createdMs: number | undefined;
}

const noLabels = { container: "", image: "", name: "", namespace: "", pod: "" };

/** Depth of the hierarchy of pods: classes, pods and containers. Groups that containers create themselves are not shown. */
const maxDepth = 3;

/**
 * The groups that are shown: the root, those of the node's own processes, and the tree of pods. The network of a pod is that of its
 * sandbox.
 */
export function shownGroups(source: UsageSource, pods: readonly RunningPod[]): readonly ShownGroup[] {
  const { groups, settings, bootMs } = source;
  const known = knownGroups(pods);
  const shown = new Map<string, ShownGroup>();
  const add = (path: string): void => {
    const createdMs = path === "/" ? bootMs : groups.createdMs(path);
    const other = { path, labels: noLabels, hasNetwork: path === "/", container: undefined, createdMs };
    shown.set(path, known.get(path) ?? other);
  };
  add("/");
  for (const { group } of systemContainers(source)) add(group);
  const addTree = (path: string, depth: number): void => {
    add(path);
    if (depth === 0 || known.get(path)?.container !== undefined) return;
    for (const name of groups.children(path)) addTree(join(path, name), depth - 1);
  };
  const top = podsGroup(groups, settings.cgroupRoot);
  if (top !== undefined) addTree(top, maxDepth);
  // Containers of pods without a group of their own have what the runtime reports.
  for (const { ref, containers } of pods)
    for (const container of containers)
      if (container.group === undefined) shown.set(`/${container.id}`, ofContainer(ref, `/${container.id}`, container));
  return [...shown.values()];
}

function knownGroups(pods: readonly RunningPod[]): ReadonlyMap<string, ShownGroup> {
  const known = new Map<string, ShownGroup>();
  for (const { ref, group, sandboxGroup, sandboxId, createdMs, containers } of pods) {
    const labels = { ...noLabels, namespace: ref.namespace, pod: ref.name };
    const plain = { labels, hasNetwork: false, container: undefined, createdMs };
    if (group !== undefined) known.set(group, { ...plain, path: group });
    if (sandboxGroup !== undefined)
      known.set(sandboxGroup, {
        ...plain,
        path: sandboxGroup,
        labels: { ...labels, name: sandboxId },
        hasNetwork: true,
      });
    for (const container of containers)
      if (container.group !== undefined) known.set(container.group, ofContainer(ref, container.group, container));
  }
  return known;
}

const ofContainer = (
  { namespace, name }: RunningPod["ref"],
  path: string,
  container: RunningContainer,
): ShownGroup => ({
  path,
  labels: { container: container.name, image: container.image, name: container.id, namespace, pod: name },
  hasNetwork: false,
  container,
  createdMs: container.createdMs,
});
