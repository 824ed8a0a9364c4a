import type { Container, ContainerState, ContainerStatus, CriClient, PodSandbox } from "@orchernetes/cri";
import { isCriError } from "@orchernetes/cri";
import { isPathPart } from "../util/paths.ts";
import {
  containerNameLabel,
  hashAnnotation,
  podNameLabel,
  podNamespaceLabel,
  podUidLabel,
  restartCountAnnotation,
} from "./labels.ts";
import type { ContainerObservation, ContainerPhase, PodRuntime, SandboxObservation } from "./pod-runtime.ts";
import { readTerminationMessage } from "./termination-message.ts";

/** One pod in the runtime's lists, and a text that changes whenever the state of anything in it does. */
interface PodOutline {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly fingerprint: string;
  readonly running: number;
}

/** Reads pods back from the runtime. */
export interface RuntimeReader {
  /**
   * Every pod that the runtime has a sandbox or container of: two calls. Sandboxes and containers whose labels name no pod that
   * this agent can have made are left out: names become folders.
   */
  outline(): Promise<ReadonlyMap<string, PodOutline>>;
  /** The complete state of one pod. A container's status is read again only when its state in the list has changed. */
  read(pod: { readonly uid: string; readonly name: string; readonly namespace: string }): Promise<PodRuntime>;
  /** Forgets what was kept about containers that are gone. */
  forget(alive: ReadonlySet<string>): void;
}

const phases: Readonly<Record<ContainerState, ContainerPhase>> = {
  CONTAINER_CREATED: "created",
  CONTAINER_RUNNING: "running",
  CONTAINER_EXITED: "exited",
  CONTAINER_UNKNOWN: "unknown",
};

const toMs = (nanos: bigint): number => Number(nanos / 1_000_000n);
const newestFirst = (a: { readonly createdAtMs: number }, b: { readonly createdAtMs: number }): number =>
  b.createdAtMs - a.createdAtMs;

export function createRuntimeReader(cri: CriClient): RuntimeReader {
  /** Containers that run or have ended: while the list shows them so, nothing else of them changes. */
  const settled = new Map<string, ContainerObservation>();

  async function observeContainer(listed: Container): Promise<ContainerObservation | undefined> {
    const kept = settled.get(listed.id);
    if (kept?.phase === "exited" || (kept !== undefined && kept.phase === phases[listed.state])) return kept;
    const status = await ignoreGone(async () => (await cri.runtime.containerStatus({ containerId: listed.id })).status);
    if (status === undefined) return undefined;
    const observation = await describe(listed, status);
    if (observation.phase === "exited" || observation.phase === "running") settled.set(listed.id, observation);
    return observation;
  }

  async function observeSandbox(listed: PodSandbox): Promise<SandboxObservation | undefined> {
    const status = await ignoreGone(
      async () => (await cri.runtime.podSandboxStatus({ podSandboxId: listed.id })).status,
    );
    if (status === undefined) return undefined;
    const { network } = status;
    const ips = [network?.ip ?? "", ...(network?.additionalIps ?? []).map(({ ip }) => ip)].filter((ip) => ip !== "");
    return {
      id: status.id,
      attempt: status.metadata?.attempt ?? 0,
      ready: status.state === "SANDBOX_READY",
      createdAtMs: toMs(status.createdAt),
      ips,
      hostNetwork: status.linux?.namespaces?.options?.network === "NODE",
      annotations: status.annotations,
    };
  }

  return {
    async outline() {
      const [sandboxes, containers] = await Promise.all([
        cri.runtime.listPodSandbox({}),
        cri.runtime.listContainers({}),
      ]);
      return outlineOf(sandboxes.items, containers.containers);
    },
    async read(pod) {
      const labelSelector = { [podUidLabel]: pod.uid };
      const [sandboxes, containers] = await Promise.all([
        cri.runtime.listPodSandbox({ filter: { labelSelector } }),
        cri.runtime.listContainers({ filter: { labelSelector } }),
      ]);
      const [seenSandboxes, seenContainers] = await Promise.all([
        Promise.all(sandboxes.items.map(observeSandbox)),
        Promise.all(containers.containers.map(observeContainer)),
      ]);
      return {
        uid: pod.uid,
        name: pod.name,
        namespace: pod.namespace,
        sandboxes: seenSandboxes.filter((item) => item !== undefined).sort(newestFirst),
        containers: seenContainers.filter((item) => item !== undefined).sort(newestFirst),
      };
    },
    forget(alive) {
      for (const id of settled.keys()) if (!alive.has(id)) settled.delete(id);
    },
  };
}

/** Puts sandboxes and containers together by the pods that their labels name. */
function outlineOf(
  sandboxes: readonly PodSandbox[],
  containers: readonly Container[],
): ReadonlyMap<string, PodOutline> {
  const pods = new Map<string, { name: string; namespace: string; running: number; parts: string[] }>();
  const podOf = (labels: Readonly<Record<string, string>>) => {
    const uid = labels[podUidLabel];
    if (uid === undefined) return undefined;
    const { [podNameLabel]: name = "", [podNamespaceLabel]: namespace = "" } = labels;
    if (!isPathPart(uid) || !isPathPart(`${namespace}_${name}_${uid}`)) return undefined;
    let pod = pods.get(uid);
    if (pod === undefined) {
      pod = { name, namespace, running: 0, parts: [] };
      pods.set(uid, pod);
    }
    return pod;
  };
  for (const { id, state, labels } of sandboxes) podOf(labels)?.parts.push(`${id}:${state}`);
  for (const { id, state, labels } of containers) {
    const pod = podOf(labels);
    if (pod === undefined) continue;
    pod.parts.push(`${id}:${state}`);
    if (state === "CONTAINER_RUNNING") pod.running += 1;
  }
  return new Map(
    [...pods].map(([uid, { name, namespace, running, parts }]) => [
      uid,
      { uid, name, namespace, running, fingerprint: parts.sort().join(" ") },
    ]),
  );
}

/** What is removed between a list and a look at it is as if it had not been listed. */
async function ignoreGone<T>(call: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isCriError(error, "NotFound")) return undefined;
    throw error;
  }
}

async function describe(listed: Container, status: ContainerStatus): Promise<ContainerObservation> {
  const phase = phases[status.state];
  return {
    id: listed.id,
    name: listed.labels[containerNameLabel] ?? status.metadata?.name ?? "",
    sandboxId: listed.podSandboxId,
    restartCount: Number(status.annotations[restartCountAnnotation] ?? status.metadata?.attempt ?? 0),
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
