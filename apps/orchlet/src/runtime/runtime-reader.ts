import type { Container, ContainerState, ContainerStatus, CriClient, PodSandbox } from "@orchernetes/cri";
import { containerStates, isCriError, sandboxStates } from "@orchernetes/cri";
import type { Clock } from "@orchernetes/kernel";
import { limiter } from "../util/limiter.ts";
import {
  containerNameLabel,
  hashAnnotation,
  podNameLabel,
  podNamespaceLabel,
  podUidLabel,
  restartCountAnnotation,
} from "./labels.ts";
import { podAddresses } from "./pod-addresses.ts";
import { OutlineMaker, outlinesOf, type PodOutlines } from "./pod-outlines.ts";
import type { ContainerObservation, ContainerPhase, PodRuntime, SandboxObservation } from "./pod-runtime.ts";
import { SeenPods } from "./seen-pods.ts";
import { readTerminationMessage } from "./termination-message.ts";

/** Reads the state of pods from the runtime. */
export interface RuntimeReader {
  /**
   * All pods that have a sandbox or container, read with two calls. Sandboxes and containers whose labels this agent
   * cannot have set are omitted: names become folders, so a foreign label could point out of the agent's folders. The map is that of
   * the last call if nothing has changed.
   */
  outline(): Promise<PodOutlines>;
  /**
   * The complete state of one pod. The status of a sandbox or container is read again only if its state in the list has changed.
   */
  read(pod: { readonly uid: string; readonly name: string; readonly namespace: string }): Promise<PodRuntime>;
  /**
   * The state of a pod as {@link RuntimeReader.read} has returned it last, if a list of all pods shows that it is still so (upstream: the
   * pod cache). The runtime is not asked.
   *
   * @param sinceMs monotonic time at which the list must not have begun yet: what was done to the pod before is in it
   * @returns undefined if the pod must be read: it has changed, is about to change, or there is no such list
   */
  unchanged(uid: string, sinceMs: number): PodRuntime | undefined;
  /** Drops cached containers that no longer exist. */
  forget(alive: ReadonlySet<string>): void;
}

/** What is read of the lists of all sandboxes and containers. */
const outlineLabels = [podUidLabel, podNameLabel, podNamespaceLabel] as const;
const sandboxesView = sandboxStates(...outlineLabels);
const containersView = containerStates(...outlineLabels);

const phases: Readonly<Record<ContainerState, ContainerPhase>> = {
  CONTAINER_CREATED: "created",
  CONTAINER_RUNNING: "running",
  CONTAINER_EXITED: "exited",
  CONTAINER_UNKNOWN: "unknown",
};

/** Containers of a pod whose state is read: more than any pod has. Of others, only the newest ones matter. */
const maxContainers = 1000;
/** Statuses that are requested from the runtime at a time. */
const maxStatusCalls = 64;

const toMs = (nanos: bigint): number => Number(nanos / 1_000_000n);
const newestFirst = (a: { readonly createdAtMs: number }, b: { readonly createdAtMs: number }): number =>
  b.createdAtMs - a.createdAtMs;

/**
 * Creates a reader with an empty cache.
 *
 * @param nodeIPs addresses of the node, whose families determine the order of those of pods @default IPv4 first
 */
export function createRuntimeReader(
  cri: CriClient,
  clock: Pick<Clock, "monotonicMs">,
  nodeIPs: readonly string[] = [],
): RuntimeReader {
  /**
   * Cache of running and exited containers. As long as their state in the list is the same, nothing else of them
   * changes.
   */
  const settled = new Map<string, ContainerObservation>();
  /** Ready sandboxes that have their addresses, by pod and id. As long as a sandbox is ready, nothing of it changes. Of gone pods, some may be left. */
  const readySandboxes = new Map<string, ReadonlyMap<string, SandboxObservation>>();
  const inTurn = limiter(maxStatusCalls);

  const seen = new SeenPods(clock);
  const outlines = new OutlineMaker();

  async function observeContainer(listed: Container): Promise<ContainerObservation | undefined> {
    const kept = settled.get(listed.id);
    if (kept?.phase === "exited" || (kept !== undefined && kept.phase === phases[listed.state])) return kept;
    const status = await inTurn(() =>
      ignoreGone(async () => (await cri.runtime.containerStatus({ containerId: listed.id })).status),
    );
    if (status === undefined) return undefined;
    const observation = await describe(listed, status);
    if (observation.phase === "exited" || observation.phase === "running") settled.set(listed.id, observation);
    return observation;
  }

  async function observeSandbox(podUid: string, listed: PodSandbox): Promise<SandboxObservation | undefined> {
    const kept = readySandboxes.get(podUid)?.get(listed.id);
    if (kept !== undefined && listed.state === "SANDBOX_READY") return kept;
    const status = await inTurn(() =>
      ignoreGone(async () => (await cri.runtime.podSandboxStatus({ podSandboxId: listed.id })).status),
    );
    if (status === undefined) return undefined;
    const { network } = status;
    const ips = [network?.ip ?? "", ...(network?.additionalIps ?? []).map(({ ip }) => ip)];
    return {
      id: status.id,
      attempt: status.metadata?.attempt ?? 0,
      ready: status.state === "SANDBOX_READY",
      createdAtMs: toMs(status.createdAt),
      ips: podAddresses(ips, nodeIPs),
      hostNetwork: status.linux?.namespaces?.options?.network === "NODE",
      annotations: status.annotations,
    };
  }

  return {
    async outline() {
      const begunMs = clock.monotonicMs();
      const [sandboxes, containers] = await Promise.all([
        cri.runtime.listPodSandbox({}, { view: sandboxesView }),
        cri.runtime.listContainers({}, { view: containersView }),
      ]);
      const outline = outlines.outlinesOf(sandboxes.items, containers.containers);
      if (readySandboxes.size > outline.size)
        for (const uid of readySandboxes.keys()) if (!outline.has(uid)) readySandboxes.delete(uid);
      seen.list(outline, begunMs);
      return outline;
    },
    async read(pod) {
      const labelSelector = { [podUidLabel]: pod.uid };
      const [sandboxes, containers] = await Promise.all([
        cri.runtime.listPodSandbox({ filter: { labelSelector } }),
        cri.runtime.listContainers({ filter: { labelSelector } }),
      ]);
      const [seenSandboxes, seenContainers] = await Promise.all([
        Promise.all(sandboxes.items.map((listed) => observeSandbox(pod.uid, listed))),
        Promise.all(mostImportant(containers.containers).map(observeContainer)),
      ]);
      const found = seenSandboxes.filter((item) => item !== undefined).sort(newestFirst);
      const complete = found.filter(({ ready, ips, hostNetwork }) => ready && (hostNetwork || ips.length > 0));
      readySandboxes.set(pod.uid, new Map(complete.map((sandbox) => [sandbox.id, sandbox])));
      const runtime: PodRuntime = {
        uid: pod.uid,
        name: pod.name,
        namespace: pod.namespace,
        sandboxes: found,
        containers: seenContainers.filter((item) => item !== undefined).sort(newestFirst),
      };
      const isSettled =
        sandboxes.items.every((one, i) => isSettledSandbox(one, seenSandboxes[i])) &&
        containers.containers.every((one, i) => isSettledContainer(one, seenContainers[i]));
      seen.read(isSettled ? outlinesOf(sandboxes.items, containers.containers).get(pod.uid) : undefined, runtime);
      return runtime;
    },
    unchanged: (uid, sinceMs) => seen.unchanged(uid, sinceMs),
    forget(alive) {
      for (const id of settled.keys()) if (!alive.has(id)) settled.delete(id);
    },
  };
}

/** Whether nothing of a sandbox changes as long as its state in the list is the same. */
const isSettledSandbox = ({ state }: PodSandbox, seen: SandboxObservation | undefined): boolean =>
  seen !== undefined &&
  seen.ready === (state === "SANDBOX_READY") &&
  (!seen.ready || seen.hostNetwork || seen.ips.length > 0);

/** As {@link isSettledSandbox}: a container is started after it was created, and one in an unknown state may be in any. */
const isSettledContainer = ({ state }: Container, seen: ContainerObservation | undefined): boolean =>
  seen !== undefined && seen.phase === phases[state] && (seen.phase === "running" || seen.phase === "exited");

/** All containers of a usual pod; of a large number, those that run, and the newest ones. */
function mostImportant(listed: readonly Container[]): readonly Container[] {
  if (listed.length <= maxContainers) return listed;
  const rank = ({ state }: Container): number => (state === "CONTAINER_EXITED" ? 1 : 0);
  const newest = (a: Container, b: Container): number => (a.createdAt < b.createdAt ? 1 : -1);
  return [...listed].sort((a, b) => rank(a) - rank(b) || newest(a, b)).slice(0, maxContainers);
}

/** The number of restarts in a label or annotation; 0 if it is none. */
const countOf = (text: string | number): number => (/^\d{1,9}$/.test(String(text)) ? Number(text) : 0);

/** An object that is removed between the list call and its status call is treated as not listed. */
async function ignoreGone<T>(call: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isCriError(error, "NotFound")) return undefined;
    throw error;
  }
}

/**
 * Whether the runtime gave up the start of a container because its client, such as an agent that was killed, disconnected. The runtime
 * reports such a container as exited although it never ran, which would make a pod with restart policy Never fail.
 */
const wasGivenUp = ({ state, reason, message, startedAt }: ContainerStatus): boolean =>
  state === "CONTAINER_EXITED" &&
  reason === "StartError" &&
  startedAt === 0n &&
  /: context canceled(?:: unknown)?$/.test(message);

async function describe(listed: Container, status: ContainerStatus): Promise<ContainerObservation> {
  const phase = wasGivenUp(status) ? "created" : phases[status.state];
  return {
    id: listed.id,
    name: listed.labels[containerNameLabel] ?? status.metadata?.name ?? "",
    sandboxId: listed.podSandboxId,
    restartCount: countOf(status.annotations[restartCountAnnotation] ?? status.metadata?.attempt ?? 0),
    phase,
    createdAtMs: toMs(status.createdAt),
    startedAtMs: toMs(status.startedAt),
    finishedAtMs: toMs(status.finishedAt),
    exitCode: status.exitCode,
    reason: status.reason,
    message: phase === "exited" ? await readTerminationMessage(status) : "",
    image: status.image?.image ?? "",
    imageRef: status.imageRef,
    hash: status.annotations[hashAnnotation] ?? "",
    logPath: status.logPath,
    annotations: status.annotations,
  };
}
