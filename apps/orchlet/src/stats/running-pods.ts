import { join } from "node:path";
import type { Container, ContainerStats, CriClient, PodSandbox } from "@orchernetes/cri";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "../runtime/labels.ts";
import type { CgroupReader } from "./host/cgroup-usage.ts";
import { containerGroup, podGroups } from "./pod-groups.ts";

/** A container of a pod that runs. */
export interface RunningContainer {
  readonly id: string;
  readonly name: string;
  /** As the runtime names it. */
  readonly image: string;
  /** When the container was created, in milliseconds since the epoch: its counters were 0 then. */
  readonly createdMs: number;
  /** What the runtime reports of it; undefined if it reports nothing. */
  readonly stats: ContainerStats | undefined;
  /** Its control group; undefined if it has none of its own, or one elsewhere. */
  readonly group: string | undefined;
}

/** A pod that runs in the runtime. */
export interface RunningPod {
  readonly ref: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly createdMs: number;
  readonly sandboxId: string;
  /** The pod's control group; undefined if it has none of its own. */
  readonly group: string | undefined;
  /** The control group of the sandbox. */
  readonly sandboxGroup: string | undefined;
  /** Sorted by name. */
  readonly containers: readonly RunningContainer[];
}

const toMs = (nanos: bigint): number => Number(nanos / 1_000_000n);

/**
 * The pods that run, sorted by namespace, name and uid, with their containers and control groups.
 *
 * @param cgroupRoot of the configuration
 * @throws CriError
 */
export async function runningPods(
  cri: Pick<CriClient, "runtime">,
  groups: CgroupReader,
  cgroupRoot: string,
): Promise<readonly RunningPod[]> {
  const [{ stats }, { containers }, { items }] = await Promise.all([
    cri.runtime.listContainerStats({}),
    cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } }),
    cri.runtime.listPodSandbox({ filter: { state: { state: "SANDBOX_READY" } } }),
  ]);
  const statsOf = new Map(stats.map((one) => [one.attributes?.id ?? "", one]));
  const bySandbox = Map.groupBy(containers, ({ podSandboxId }) => podSandboxId);
  const groupOf = podGroups(groups, cgroupRoot);
  return items
    .flatMap((sandbox) => {
      const uid = sandbox.labels[podUidLabel];
      if (uid === undefined) return [];
      const group = groupOf.get(uid);
      const own = bySandbox.get(sandbox.id) ?? [];
      return [
        podOf(
          sandbox,
          uid,
          group,
          own.map((one) => containerOf(one, statsOf.get(one.id), groups, group)),
          groups,
        ),
      ];
    })
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

const sortKey = ({ ref }: RunningPod): string => join(ref.namespace, ref.name, ref.uid);

function podOf(
  { id, labels, createdAt }: PodSandbox,
  uid: string,
  group: string | undefined,
  containers: readonly RunningContainer[],
  groups: CgroupReader,
): RunningPod {
  return {
    ref: { name: labels[podNameLabel] ?? "", namespace: labels[podNamespaceLabel] ?? "", uid },
    createdMs: toMs(createdAt),
    sandboxId: id,
    group,
    sandboxGroup: group === undefined ? undefined : containerGroup(groups, group, id),
    containers: containers.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function containerOf(
  { id, labels, metadata, image, createdAt }: Container,
  stats: ContainerStats | undefined,
  groups: CgroupReader,
  podGroup: string | undefined,
): RunningContainer {
  return {
    id,
    name: labels[containerNameLabel] ?? metadata?.name ?? "",
    image: image?.image ?? "",
    createdMs: toMs(createdAt),
    stats,
    group: podGroup === undefined ? undefined : containerGroup(groups, podGroup, id),
  };
}
