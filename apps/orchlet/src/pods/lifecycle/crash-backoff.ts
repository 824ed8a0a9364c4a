import type { core } from "@orchernetes/api";
import { formatDuration } from "@orchernetes/apimachinery";
import { type ContainerObservation, latestContainer } from "../../runtime/pod-runtime.ts";
import { containerHash } from "../../types/container.ts";
import { allContainers, podText } from "../../types/pod-identity.ts";
import { backoffRemainingMs, nextBackoff } from "../../util/backoff.ts";
import type { Now, SyncingPod } from "./pod-state.ts";
import type { PodWorkerAction } from "./transition.ts";

/** The key of a container's back-off. It includes the definition, so that a changed container is started at once. */
const containerKey = (container: core.Container): string => `${container.name}/${containerHash(container)}`;

/**
 * Finds the containers that must wait before they are restarted, after a crash or a failed start. The last copy that has exited counts, as
 * in the original: a container that is stopped because of a probe is started again at once, unless the copy before it ended just now. Pure.
 */
export function backoffs(
  state: SyncingPod,
  now: Now,
): {
  /** The state with the waiting reasons of crashed containers. */
  readonly state: SyncingPod;
  readonly actions: readonly PodWorkerAction[];
  /** Remaining time by container name, in milliseconds; containers that may start are absent. */
  readonly leftMs: ReadonlyMap<string, number>;
} {
  const { pod, snapshot, crashes, policy, identity, notBeforeMs } = state;
  const leftMs = new Map<string, number>();
  const waiting = new Map(state.waiting);
  const announcedCrashes = new Map(state.announcedCrashes);
  const actions: PodWorkerAction[] = [];
  for (const { container } of allContainers(pod)) {
    const { name } = container;
    const entry = crashes.get(containerKey(container));
    const latest = latestContainer(snapshot.runtime, name);
    const isRunning = latest?.phase === "running";
    if (isRunning && !snapshot.verdicts.has(latest.id)) continue;
    const ended = lastEnded(state, name);
    const crashMs =
      ended === undefined ? 0 : backoffRemainingMs(entry, ended.finishedAtMs, now.date.getTime(), policy.crash);
    if (crashMs > 0 && !isRunning && ended !== undefined && entry !== undefined) {
      // One event per crash: rounds also happen for other reasons.
      if (announcedCrashes.get(name) !== ended.finishedAtMs) {
        announcedCrashes.set(name, ended.finishedAtMs);
        actions.push({
          type: "RecordEvent",
          pod,
          container: name,
          eventType: "Warning",
          reason: "BackOff",
          message: `Back-off restarting failed container ${name} in pod ${podText(identity)}`,
        });
      }
      waiting.set(name, {
        reason: "CrashLoopBackOff",
        message: `back-off ${formatDuration(entry.delayMs)} restarting failed container=${name} pod=${podText(identity)}`,
      });
    }
    const heldMs = (notBeforeMs.get(name) ?? Number.NEGATIVE_INFINITY) - now.monotonicMs;
    if (Math.max(crashMs, heldMs) > 0) leftMs.set(name, Math.max(crashMs, heldMs));
  }
  return { state: { ...state, waiting, announcedCrashes }, actions, leftMs };
}

/** Records that a container is restarted, which doubles its back-off. The first start is not recorded. Pure. */
export function withRestart(state: SyncingPod, container: core.Container, now: Now): SyncingPod {
  const ended = lastEnded(state, container.name);
  if (ended === undefined) return state;
  const key = containerKey(container);
  const entry = nextBackoff(state.crashes.get(key), ended.finishedAtMs, now.date.getTime(), state.policy.crash);
  return { ...state, crashes: new Map(state.crashes).set(key, entry) };
}

/** The newest copy of a container that has exited. */
const lastEnded = ({ snapshot: { runtime } }: SyncingPod, name: string): ContainerObservation | undefined =>
  runtime.containers.find((one) => one.name === name && one.phase === "exited");
