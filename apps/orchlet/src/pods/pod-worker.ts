import type { core } from "@orchernetes/api";
import { formatTime, parseTime } from "@orchernetes/apimachinery";
import { emptyRuntime, latestContainer, type PodRuntime, readySandbox } from "../runtime/pod-runtime.ts";
import type { WaitingReason } from "../status/container-status.ts";
import { podStatusOf } from "../status/pod-status.ts";
import { containerHash } from "../types/container-hash.ts";
import { type PodFailure, rejectionOf } from "../types/pod-failure.ts";
import { allContainers, isStaticPod, type PodIdentity, podText } from "../types/pod-identity.ts";
import type { Refusal } from "../types/refusal.ts";
import { ContainerStartError } from "../types/start-error.ts";
import type { PreparedVolume } from "../volumes/volume-manager.ts";
import { VolumeError } from "../volumes/volume-manager.ts";
import { decide, type PodAction, type PodIntent } from "./decide.ts";
import { deadlineOf, intentOf } from "./intent.ts";
import type { PodWorkerServices } from "./pod-worker-services.ts";

/** One pod of this node. Everything that is done to it is done by its worker, one thing at a time. */
export interface PodWorker {
  readonly identity: PodIdentity;
  /** The pod as it is wanted; undefined when the worker only clears away what is left of one. */
  readonly pod: core.Pod | undefined;
  readonly status: core.PodStatus | undefined;
  /** The pod as its source has it now. */
  update(pod: core.Pod): void;
  /** Its source has it no more. */
  remove(): void;
  /** Has it end as failed. */
  fail(failure: PodFailure): void;
  /** Something changed: look again. */
  wake(): void;
  /** The pod was removed from its source and terminates. */
  readonly removed: boolean;
  /** Resolves when nothing of the pod is left, or the agent ends. */
  readonly done: Promise<void>;
}

const initialRetryMs = 1000;
const maxRetryMs = 30_000;
/** A failed start is shown first with its own reason, then as waiting for its back-off. */
const startRetryMs = 10_000;
/** Maximum length of a failure message in a status: it may quote long commands and names. */
const maxReasonLength = 4096;
const pullShownMs = 2000;

export function startPodWorker(
  identity: PodIdentity,
  first: core.Pod | undefined,
  services: PodWorkerServices,
): PodWorker {
  const { clock, logger, signal } = services;
  let pod = first;
  let removed = first === undefined;
  let failure: PodFailure | undefined;
  let status: core.PodStatus | undefined = first?.status;
  let over = false;
  let admitted = false;
  let blocked: Refusal | undefined;
  let ended = false;
  let runtime: PodRuntime = emptyRuntime(identity);
  let interrupt = new AbortController();
  let intended: PodIntent = { type: "Run" };
  let pending = true;
  let ring: (() => void) | undefined;
  const startTime = first?.status?.startTime ?? formatTime(clock.now());
  const waiting = new Map<string, WaitingReason>();
  const notBefore = new Map<string, number>();
  const announcedBackoff = new Map<string, number>();
  let volumes: ReadonlyMap<string, PreparedVolume> | undefined;
  let volumesFailed: { readonly atMs: number; readonly delayMs: number } | undefined;
  let volumesAtMs = 0;
  let released = false;

  const nowMs = (): number => clock.now().getTime();
  /** For waits of its own: the time of day may be set back by hours. */
  const monotonicMs = (): number => clock.monotonicMs();
  const wake = (): void => {
    pending = true;
    ring?.();
  };
  const say = (container: string | undefined, type: "Normal" | "Warning", reason: string, message: string): void => {
    if (pod === undefined) return;
    const ref = allContainers(pod).find((candidate) => candidate.container.name === container);
    services.say(
      pod,
      ref === undefined ? undefined : { kind: ref.kind, name: ref.container.name },
      type,
      reason,
      message,
    );
  };

  const currentIntent = (): PodIntent =>
    pod === undefined
      ? { type: "Terminate", why: "Removed" }
      : intentOf({ pod, removed, failure, finished: status?.phase === "Failed" || status?.phase === "Succeeded" });

  /** Cuts short what is under way when the pod has to end now, or sooner than it was told. */
  const reconsider = (): void => {
    const next = currentIntent();
    const sooner =
      next.type === "Terminate" &&
      (intended.type === "Run" ||
        (next.graceSeconds ?? Number.POSITIVE_INFINITY) < (intended.graceSeconds ?? Number.POSITIVE_INFINITY));
    if (sooner) interrupt.abort(new Error("the pod is to end"));
    wake();
  };

  const publish = (): void => {
    if (pod === undefined) return;
    const shown = status ?? pod.status ?? {};
    status = podStatusOf({
      pod,
      runtime,
      shown: { ...shown, conditions: conditionsFor(pod.status?.conditions, shown.conditions) },
      waiting,
      probes: services.probes.state,
      failure,
      blocked,
      over,
      hostIPs: services.hostIPs(),
      startTime,
      now: clock.now(),
    });
    services.statuses.set(pod, status);
  };

  const observe = async (): Promise<void> => {
    runtime = await services.reader.read(identity);
    if (pod !== undefined) {
      if (intended.type === "Run") services.probes.sync(pod, runtime);
      else services.probes.stop(identity.uid);
    }
    publish();
  };

  const backoffKey = (container: core.Container): string =>
    `${identity.uid}/${container.name}/${containerHash(container)}`;

  const backoffs = (wanted: core.Pod): Map<string, number> => {
    const left = new Map<string, number>();
    for (const { container } of allContainers(wanted)) {
      const latest = latestContainer(runtime, container.name);
      const crash =
        latest?.phase === "exited"
          ? services.backoff.remaining(backoffKey(container), latest.finishedAtMs, nowMs())
          : 0;
      if (crash > 0) {
        const delay = services.backoff.delay(backoffKey(container));
        if (announcedBackoff.get(container.name) !== latest?.finishedAtMs) {
          announcedBackoff.set(container.name, latest?.finishedAtMs ?? 0);
          say(
            container.name,
            "Warning",
            "BackOff",
            `Back-off restarting failed container ${container.name} in pod ${podText(identity)}`,
          );
        }
        waiting.set(container.name, {
          reason: "CrashLoopBackOff",
          message: `back-off ${services.durationText(delay)} restarting failed container=${container.name} pod=${podText(identity)}`,
        });
      }
      const held = (notBefore.get(container.name) ?? Number.NEGATIVE_INFINITY) - monotonicMs();
      if (Math.max(crash, held) > 0) left.set(container.name, Math.max(crash, held));
    }
    return left;
  };

  const prepareVolumes = async (wanted: core.Pod): Promise<boolean> => {
    const waitMs = volumesFailed === undefined ? 0 : volumesFailed.atMs + volumesFailed.delayMs - monotonicMs();
    if (waitMs > 0) return false;
    try {
      volumes = await services.volumes.prepare(wanted, services.contentSources(wanted, runtime));
      volumesFailed = undefined;
      volumesAtMs = monotonicMs();
      return true;
    } catch (error) {
      if (!(error instanceof VolumeError)) throw error;
      const delayMs = Math.min((volumesFailed?.delayMs ?? 250) * 2, 122_000);
      volumesFailed = { atMs: monotonicMs(), delayMs };
      say(undefined, "Warning", "FailedMount", error.message);
      return false;
    }
  };

  const perform = async (action: PodAction, wanted: core.Pod | undefined): Promise<"go on" | "stop"> => {
    switch (action.type) {
      case "KillPod": {
        if (action.why === "SandboxChanged" && runtime.sandboxes.length > 0)
          say(undefined, "Normal", "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
        await services.killer.killPod(runtime, {
          pod: wanted,
          graceSeconds: action.graceSeconds,
          say,
          signal: interrupt.signal,
        });
        return "go on";
      }
      case "KillContainer": {
        const found = runtime.containers.find(({ id }) => id === action.containerId);
        if (found !== undefined)
          await services.killer.kill(found, {
            pod: wanted,
            graceSeconds: action.graceSeconds,
            message: action.message,
            say,
            signal: interrupt.signal,
          });
        return "go on";
      }
      case "CreateSandbox": {
        if (wanted === undefined) return "stop";
        if (!(await prepareVolumes(wanted))) return "stop";
        try {
          await services.starter.createSandbox(
            wanted,
            action.attempt,
            (type, reason, message) => say(undefined, type, reason, message),
            interrupt.signal,
          );
        } catch (error) {
          interrupt.signal.throwIfAborted();
          say(undefined, "Warning", "FailedCreatePodSandBox", `Failed to create pod sandbox: ${messageOf(error)}`);
          throw error;
        }
        await observe();
        return "go on";
      }
      case "StartContainer":
        return wanted === undefined ? "stop" : await startContainer(action, wanted);
    }
  };

  const startContainer = async (
    action: Extract<PodAction, { type: "StartContainer" }>,
    wanted: core.Pod,
  ): Promise<"go on" | "stop"> => {
    const ref = allContainers(wanted).find(
      ({ kind, container }) => kind === action.kind && container.name === action.name,
    );
    if (ref === undefined) return "go on";
    if (volumes === undefined && !(await prepareVolumes(wanted))) return "stop";
    const latest = latestContainer(runtime, action.name);
    if (latest?.phase === "exited") services.backoff.next(backoffKey(ref.container), latest.finishedAtMs);
    if (latest === undefined || waiting.get(action.name)?.reason === "CrashLoopBackOff") waiting.delete(action.name);
    try {
      await services.starter.startContainer({
        pod: wanted,
        ref,
        restartCount: action.restartCount,
        runtime,
        volumes: volumes ?? new Map(),
        facts: services.facts(wanted, runtime),
        say: (type, reason, message) => say(action.name, type, reason, message),
        signal: interrupt.signal,
      });
      waiting.delete(action.name);
      notBefore.delete(action.name);
    } catch (error) {
      if (interrupt.signal.aborted) throw error;
      const known =
        error instanceof ContainerStartError ? error : new ContainerStartError("RunContainerError", messageOf(error));
      waiting.set(action.name, { reason: known.reason, message: known.message.slice(0, maxReasonLength) });
      if (known.reason !== "ErrImageNeverPull")
        say(
          action.name,
          "Warning",
          "Failed",
          `Error: ${known.reason.includes("Image") ? known.reason : known.message}`,
        );
      const retryMs = known.reason === "ErrImagePull" ? pullShownMs : (known.retryInMs ?? startRetryMs);
      notBefore.set(action.name, monotonicMs() + retryMs);
    }
    await observe();
    return "go on";
  };

  /** Nothing of the pod runs any more: what comes after that. True when the worker has nothing left to do. */
  const finish = async (why: PodIntent): Promise<boolean> => {
    if (why.type === "Run") return false;
    if (pod !== undefined && !over && why.why !== "Finished") {
      over = true;
      publish();
    }
    const deleted = pod?.metadata.deletionTimestamp !== undefined;
    if (!removed && !deleted) {
      if (!released) await services.release(runtime);
      released = true;
      return false;
    }
    await services.statuses.flushed(identity.uid);
    services.probes.stop(identity.uid);
    await services.clear(runtime);
    if (removed) return true;
    if (pod !== undefined && !isStaticPod(pod)) await services.deletePod(pod);
    return false;
  };

  const isPending = (): boolean => status?.phase === undefined || status.phase === "Pending";

  /** Admission is checked once per pod: running pods stay, even if the node changes. */
  const admit = async (candidate: core.Pod): Promise<void> => {
    runtime = await services.reader.read(identity);
    if (isPending() && runtime.containers.length === 0) {
      const refusal = await services.admission.admit(candidate, interrupt.signal);
      if (refusal !== undefined) {
        failure = rejectionOf(refusal);
        say(undefined, "Warning", refusal.reason, refusal.message);
        return;
      }
    } else services.admission.grant(identity.uid);
    admitted = true;
  };

  /** One look at the pod, and the steps that follow from it. Answers when to look again at the latest. */
  const round = async (): Promise<number> => {
    pending = false;
    interrupt = new AbortController();
    intended = currentIntent();
    if (pod !== undefined && intended.type === "Run") {
      const deadline = deadlineOf(pod, parseTime(startTime).getTime(), nowMs());
      if (deadline.failure !== undefined) {
        failure = deadline.failure;
        say(undefined, "Normal", "DeadlineExceeded", deadline.failure.message);
      }
      if (failure === undefined && !admitted) await admit(pod);
      intended = currentIntent();
    }
    blocked = pod !== undefined && intended.type === "Run" && isPending() ? services.admission.blocked(pod) : undefined;
    await observe();
    intended = currentIntent();
    const wanted = pod;
    // The volumes of a pod that is older than this process exist already, but their content must still be updated.
    const volumesDue =
      volumes === undefined ? readySandbox(runtime) !== undefined : monotonicMs() - volumesAtMs > services.syncMs;
    if (wanted !== undefined && intended.type === "Run" && volumesDue) await prepareVolumes(wanted);
    const left = wanted === undefined ? new Map<string, number>() : backoffs(wanted);
    if (blocked !== undefined && intended.type === "Run") return services.syncMs;
    const decision = decide({
      pod: wanted ?? services.placeholder(identity),
      intent: intended,
      runtime,
      verdicts: services.probes.verdicts(),
      backoffMs: left,
      shownRestarts: shownRestarts(wanted?.status),
    });
    if (decision.backingOff.size > 0) publish();
    for (const action of decision.actions) {
      if (interrupt.signal.aborted) break;
      if ((await perform(action, wanted)) === "stop") break;
    }
    if (decision.actions.length > 0) await observe();
    if (intended.type === "Terminate" && !isAlive(runtime)) ended = await finish(intended);
    const waits = [services.syncMs, ...left.values()];
    if (volumesFailed !== undefined) waits.push(volumesFailed.atMs + volumesFailed.delayMs - monotonicMs());
    for (const atMs of notBefore.values()) if (atMs > monotonicMs()) waits.push(atMs - monotonicMs());
    const deadline = pod === undefined ? {} : deadlineOf(pod, parseTime(startTime).getTime(), nowMs());
    if (deadline.inMs !== undefined) waits.push(deadline.inMs);
    // What was started or stopped may make room for the next step; failures have their own times.
    const moved = decision.actions.some(({ type }) => type !== "StartContainer") && volumesFailed === undefined;
    return moved && intended.type === "Run" ? 0 : Math.max(10, Math.min(...waits));
  };

  const sleep = async (ms: number): Promise<void> => {
    if (pending || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, ms);
      ring = () => {
        timer.clear();
        resolve();
      };
      signal.addEventListener("abort", ring, { once: true });
    });
    if (ring !== undefined) signal.removeEventListener("abort", ring);
    ring = undefined;
  };

  const tracedRound = (): Promise<number> => {
    if (services.tracer === undefined) return round();
    return services.tracer.request({ headers: {} }, "syncPod", (span) => {
      span?.set({ "o8s.pod": podText(identity), "o8s.pod.uid": identity.uid });
      return round();
    });
  };

  const run = async (): Promise<void> => {
    let retryMs = initialRetryMs;
    while (!ended && !signal.aborted) {
      let waitMs: number;
      try {
        waitMs = await tracedRound();
        retryMs = initialRetryMs;
      } catch (error) {
        if (signal.aborted) return;
        if (interrupt.signal.aborted) {
          waitMs = 0;
        } else {
          logger.error(error, "Error syncing pod, skipping", { pod: podText(identity) });
          waitMs = retryMs;
          retryMs = Math.min(retryMs * 2, maxRetryMs);
          // An event storm must not turn a failing pod into a busy one.
          pending = false;
        }
      }
      if (!ended) await sleep(waitMs);
    }
  };

  return {
    identity,
    get pod() {
      return pod;
    },
    get status() {
      return status;
    },
    get removed() {
      return removed;
    },
    update(next) {
      pod = next;
      removed = false;
      reconsider();
    },
    remove() {
      removed = true;
      reconsider();
    },
    fail(reason) {
      failure ??= reason;
      reconsider();
    },
    wake,
    done: run(),
  };
}

/** Conditions of others come from the API server's copy, ours from what was decided last. */
function conditionsFor(
  stored: readonly core.PodCondition[] | undefined,
  own: readonly core.PodCondition[] | undefined,
): readonly core.PodCondition[] {
  const others = (stored ?? []).filter(({ type }) => own?.every((condition) => condition.type !== type) ?? true);
  const updated = (own ?? []).map((condition) => {
    const newer = stored?.find(({ type }) => type === condition.type);
    return newer !== undefined && !isOwned(condition.type) ? newer : condition;
  });
  return [...updated, ...others];
}

const isOwned = (type: string): boolean => ["Initialized", "Ready", "ContainersReady", "PodScheduled"].includes(type);

function shownRestarts(status: core.PodStatus | undefined): ReadonlyMap<string, number> {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return new Map(all.map(({ name, restartCount }) => [name, restartCount]));
}

function isAlive(runtime: PodRuntime): boolean {
  return (
    runtime.containers.some(({ phase }) => phase === "running" || phase === "unknown") ||
    readySandbox(runtime) !== undefined
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
