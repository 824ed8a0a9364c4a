import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { CriClient } from "@orchernetes/cri";
import { isCriError } from "@orchernetes/cri";
import { removeTree, unmountAndRemove } from "@orchernetes/host";
import { forEachDespiteErrors } from "../util/for-each-despite-errors.ts";
import type { Paths } from "../util/paths.ts";
import type { VolumeManager } from "../volumes/volume-manager.ts";
import { containerNameLabel, podUidLabel } from "./labels.ts";

/** How many exited containers are kept. They provide `lastState` and the previous log. */
export interface DeadContainerPolicy {
  /** Per container name in each pod; a negative number means no limit. */
  readonly perContainer: number;
  /** On the node; a negative number means no limit. */
  readonly total: number;
  /** Younger ones are neither counted nor removed. */
  readonly minAgeMs: number;
}

type Listed = Awaited<ReturnType<CriClient["runtime"]["listContainers"]>>["containers"][number];

/**
 * Removes the exited containers and their logs that exceed the policy, oldest first; and before them those that were never started and have
 * been replaced.
 *
 * @param nowMs milliseconds since the epoch
 * @param isOver whether a pod starts no container any more, so that all of its are removed, whatever the policy @default none is
 * @returns ids of all remaining containers
 * @throws AggregateError of all failures, after the last container
 */
export async function collectContainers(
  cri: CriClient,
  policy: DeadContainerPolicy,
  nowMs: number,
  isOver: (podUid: string) => boolean = () => false,
): Promise<ReadonlySet<string>> {
  const { containers } = await cri.runtime.listContainers({});
  const left = new Set(containers.map(({ id }) => id));
  const latestNs = BigInt(Math.trunc(nowMs - policy.minAgeMs)) * 1_000_000n;
  const own = containers.filter(({ labels }) => labels[podUidLabel] !== undefined);
  const newest = newestOf(own);
  const isDead = (one: Listed): boolean =>
    one.state === "CONTAINER_EXITED" ||
    // The newest one of a name may be about to be started.
    (isUnstarted(one) && (ofPod(isOver)(one) || newest.get(nameOf(one)) !== one));
  const dead = own.filter(isDead);
  const [ofOver, others] = [dead.filter(ofPod(isOver)), dead.filter((one) => !ofPod(isOver)(one))];
  const old = others.filter(({ createdAt }) => createdAt <= latestNs);
  await forEachDespiteErrors([...ofOver, ...surplusOf(old, policy)], async ({ id }) => {
    await removeContainer(cri, id);
    left.delete(id);
  });
  return left;
}

const ofPod =
  (isAsked: (podUid: string) => boolean) =>
  ({ labels }: Listed): boolean =>
    isAsked(labels[podUidLabel] ?? "");

const isUnstarted = ({ state }: Listed): boolean => state === "CONTAINER_CREATED";

/** The pod and the name of a container. */
const nameOf = ({ labels }: Listed): string => `${labels[podUidLabel]}/${labels[containerNameLabel] ?? ""}`;

/** The newest container of each name. */
function newestOf(containers: readonly Listed[]): ReadonlyMap<string, Listed> {
  const newest = new Map<string, Listed>();
  for (const one of containers) {
    const known = newest.get(nameOf(one));
    if (known === undefined || known.createdAt < one.createdAt) newest.set(nameOf(one), one);
  }
  return newest;
}

/**
 * The containers that exceed a policy. The total limit removes containers evenly: one name keeps its last container until all
 * others have lost as many. Pure.
 */
function surplusOf(dead: readonly Listed[], { perContainer, total }: DeadContainerPolicy): readonly Listed[] {
  const byName = new Map<string, Listed[]>();
  for (const container of dead) {
    const key = nameOf(container);
    const copies = byName.get(key) ?? [];
    copies.push(container);
    byName.set(key, copies);
  }
  // Of a container that was never started, there is no end and no log to keep.
  const newestFirst = (a: Listed, b: Listed): number =>
    Number(isUnstarted(a)) - Number(isUnstarted(b)) || (a.createdAt < b.createdAt ? 1 : -1);
  const kept = (copies: readonly Listed[], most: number) =>
    most < 0 ? copies : [...copies].sort(newestFirst).slice(0, most);
  let rest = [...byName.values()].map((copies) => kept(copies, perContainer));
  const count = () => rest.reduce((sum, { length }) => sum + length, 0);
  if (total >= 0 && count() > total) {
    const share = Math.max(1, Math.floor(total / rest.length));
    rest = rest.map((copies) => kept(copies, share));
    if (count() > total) rest = [kept(rest.flat(), total)];
  }
  const staying = new Set(rest.flat());
  return dead.filter((container) => !staying.has(container));
}

async function removeContainer(cri: CriClient, containerId: string): Promise<void> {
  try {
    const { status } = await cri.runtime.containerStatus({ containerId });
    await cri.runtime.removeContainer({ containerId });
    if (!status?.logPath) return;
    const folder = dirname(status.logPath);
    const name = basename(status.logPath);
    for (const entry of await readdir(folder).catch(() => []))
      if (entry === name || entry.startsWith(`${name}.`)) await removeTree(join(folder, entry));
  } catch (error) {
    if (!isCriError(error, "NotFound")) throw error;
  }
}

/**
 * Removes the dead sandboxes that have no containers: a sandbox that failed is replaced by a new one. The newest one of a pod stays,
 * because it records the number of attempts.
 *
 * @param isOver whether a pod starts nothing any more, so that its newest sandbox is removed, too
 * @throws AggregateError of all failures, after the last sandbox
 */
export async function collectSandboxes(cri: CriClient, isOver: (podUid: string) => boolean): Promise<void> {
  // Sandboxes come first: a container that is created meanwhile is in the list of containers.
  const { items } = await cri.runtime.listPodSandbox({});
  const { containers } = await cri.runtime.listContainers({});
  const used = new Set(containers.map(({ podSandboxId }) => podSandboxId));
  const newest = new Map<string, (typeof items)[number]>();
  const own = items.filter(({ labels }) => labels[podUidLabel] !== undefined);
  const podOf = ({ labels }: (typeof items)[number]): string => labels[podUidLabel] ?? "";
  for (const sandbox of own) {
    const known = newest.get(podOf(sandbox));
    if (known === undefined || known.createdAt < sandbox.createdAt) newest.set(podOf(sandbox), sandbox);
  }
  const dead = own.filter(
    (sandbox) =>
      sandbox.state === "SANDBOX_NOTREADY" &&
      !used.has(sandbox.id) &&
      (isOver(podOf(sandbox)) || newest.get(podOf(sandbox)) !== sandbox),
  );
  await forEachDespiteErrors(dead, async ({ id }) => {
    try {
      await cri.runtime.stopPodSandbox({ podSandboxId: id });
      await cri.runtime.removePodSandbox({ podSandboxId: id });
    } catch (error) {
      if (!isCriError(error, "NotFound")) throw error;
    }
  });
}

/**
 * Removes the folders of unknown pods, such as pods that were deleted while the agent did not run.
 *
 * @param onRemoved called with how many pods' folders were removed, and how many could not be
 */
export async function collectPodFolders(
  paths: Paths,
  volumes: VolumeManager,
  isKnown: (uid: string) => boolean,
  onRemoved?: (removed: number, failed: number) => void,
): Promise<void> {
  const uids = await readdir(paths.pods).catch(() => []);
  const unknown = uids.filter((uid) => !isKnown(uid));
  let removed = 0;
  const removal = forEachDespiteErrors(unknown, async (uid) => {
    await volumes.remove(uid);
    removed += 1;
  });
  await removal.finally(() => onRemoved?.(removed, unknown.length - removed));
}

/** Name of a pod's folder of logs: `<namespace>_<name>_<uid>`, of which no part has another underscore. */
const logsFolder = /^[^_]+_[^_]+_([^_]+)$/;

/** Removes the folders of logs of unknown pods. Of those whose start the agent did not survive, the runtime may have nothing. */
export async function collectPodLogs(paths: Pick<Paths, "podLogs">, isKnown: (uid: string) => boolean): Promise<void> {
  const logs = await readdir(paths.podLogs).catch(() => []);
  const ofUnknown = logs.filter((name) => {
    const uid = logsFolder.exec(name)?.[1];
    return uid !== undefined && !isKnown(uid);
  });
  await forEachDespiteErrors(ofUnknown, (name) => unmountAndRemove(join(paths.podLogs, name)));
}
