import type { core } from "@orchernetes/api";
import type { Counter } from "@orchernetes/component";
import { type CriClient, isCriError } from "@orchernetes/cri";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { CheckTarget } from "../probes/check.ts";
import { gracePeriodAnnotation, preStopAnnotation } from "../runtime/labels.ts";
import type { ContainerObservation, PodRuntime } from "../runtime/pod-runtime.ts";
import { identityOf, podText } from "../types/pod-identity.ts";
import { fallbackReason, runHook } from "./hooks.ts";

/** Maximum delay of timers in seconds, about 24 days. Runtimes may treat a longer grace period as zero. */
const maxGraceSeconds = 2_147_483;
/** Minimum time after SIGTERM, even without a grace period or if the preStop hook has used it up. As in the original. */
const minimumSeconds = 2;
/** Minimum grace period: a pod that is deleted by force still gets its hooks run and SIGTERM sent, as in the original. */
const minimumGraceSeconds = 1;

/** Stops containers and sandboxes. */
export interface ContainerKiller {
  /**
   * Runs the preStop hook, then stops the container, both within the grace period. Idempotent: the event and the hook
   * are not repeated if the first attempt failed.
   *
   * @throws CriError; the signal's reason
   */
  kill(container: ContainerObservation, order: KillOrder): Promise<void>;
  /**
   * Stops a container that was started just now, as {@link ContainerKiller.kill} does. An error of the runtime is only logged: the next round
   * sees what became of the container.
   *
   * @throws the signal's reason
   */
  killStarted(target: CheckTarget, order: KillOrder): Promise<void>;
  /**
   * Stops all containers concurrently, then the sandboxes, also those that are not ready: they may still have addresses.
   *
   * @throws the first error, after all containers have been tried
   */
  killPod(runtime: PodRuntime, order: KillOrder): Promise<void>;
}

/** The reason for stopping containers, and their grace period. */
interface KillOrder {
  /** Undefined if the pod is no longer known. Then the annotations of the container apply. */
  readonly pod: core.Pod | undefined;
  /** Undefined for the pod's own grace period. */
  readonly graceSeconds: number | undefined;
  /** @default "Stopping container NAME" */
  readonly message?: string | undefined;
  readonly recordEvent: (containerName: string, type: "Normal" | "Warning", reason: string, message: string) => void;
  readonly signal: AbortSignal;
}

/** What is read of a container that is stopped. */
type Killed = Pick<ContainerObservation, "id" | "name" | "annotations">;

/** Creates the killer of this node's containers. */
export function createContainerKiller(options: {
  readonly cri: CriClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Counts the requests of hooks that were repeated over HTTP. @default nobody counts them */
  readonly hookFallbacks?: Pick<Counter, "inc">;
}): ContainerKiller {
  const { cri, clock, logger, hookFallbacks } = options;
  /** Containers whose preStop hook was run, by id. */
  const announced = new Set<string>();

  const preStop = async (container: Killed, order: KillOrder, graceSeconds: number, podIP: string) => {
    const spec = order.pod?.spec.containers.find(({ name }) => name === container.name);
    const handler = spec?.lifecycle?.preStop ?? parseHook(container.annotations[preStopAnnotation]);
    if (handler === undefined) return;
    const target = {
      containerId: container.id,
      container: spec ?? ({ name: container.name, resources: {} } as core.Container),
      podIP,
    };
    const limit = AbortSignal.any([order.signal, AbortSignal.timeout(graceSeconds * 1000)]);
    try {
      const pod = order.pod === undefined ? "" : podText(identityOf(order.pod));
      const onFallback = (message: string) => {
        hookFallbacks?.inc();
        order.recordEvent(container.name, "Warning", fallbackReason, message);
      };
      await runHook(handler, target, { cri, podText: pod, timeoutSeconds: graceSeconds, signal: limit, onFallback });
    } catch (error) {
      order.signal.throwIfAborted();
      if (!limit.aborted) order.recordEvent(container.name, "Warning", "FailedPreStopHook", "PreStopHook failed");
      logger.v(2)?.info("PreStop hook failed", { container: container.name, error });
    }
  };

  const kill = async (container: Killed, order: KillOrder, podIP: string): Promise<void> => {
    const own = Number(container.annotations[gracePeriodAnnotation] ?? 30);
    const wanted = order.graceSeconds ?? order.pod?.spec.terminationGracePeriodSeconds ?? own;
    let graceSeconds = Math.min(Math.max(minimumGraceSeconds, wanted), maxGraceSeconds);
    const first = !announced.has(container.id);
    if (first) {
      announced.add(container.id);
      order.recordEvent(container.name, "Normal", "Killing", order.message ?? `Stopping container ${container.name}`);
      const startedMs = clock.monotonicMs();
      await preStop(container, order, graceSeconds, podIP);
      const used = Math.round((clock.monotonicMs() - startedMs) / 1000);
      graceSeconds -= used;
    }
    graceSeconds = Math.max(minimumSeconds, graceSeconds);
    try {
      await cri.runtime.stopContainer({ containerId: container.id, timeout: graceSeconds }, { signal: order.signal });
      announced.delete(container.id);
    } catch (error) {
      order.signal.throwIfAborted();
      if (!isCriError(error, "NotFound")) throw error;
    }
  };

  return {
    kill: (container, order) => kill(container, order, order.pod?.status?.podIP ?? ""),
    async killStarted({ containerId: id, container: { name }, podIP }, order) {
      try {
        await kill({ id, name, annotations: {} }, order, podIP);
      } catch (error) {
        order.signal.throwIfAborted();
        logger.error(error, "Failed to kill container", { container: name, containerId: id });
      }
    },
    async killPod(runtime, order) {
      const podIP = runtime.sandboxes[0]?.ips[0] ?? order.pod?.status?.podIP ?? "";
      const alive = runtime.containers.filter(({ phase }) => phase === "running" || phase === "unknown");
      const results = await Promise.allSettled(alive.map((container) => kill(container, order, podIP)));
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      await stopSandboxes(cri, runtime);
    },
  };
}

/**
 * Stops the sandboxes of a pod, which gives their addresses back. Idempotent.
 *
 * @throws the first error, after all sandboxes have been tried
 */
export async function stopSandboxes(cri: CriClient, { sandboxes }: PodRuntime): Promise<void> {
  const results = await Promise.allSettled(sandboxes.map(({ id }) => cri.runtime.stopPodSandbox({ podSandboxId: id })));
  for (const result of results)
    if (result.status === "rejected" && !isCriError(result.reason, "NotFound")) throw result.reason;
}

/**
 * Parses the annotation with the preStop hook. Other users of the runtime may have changed it, so errors are ignored.
 */
function parseHook(text: string | undefined): core.LifecycleHandler | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as core.LifecycleHandler;
  } catch {
    return undefined;
  }
}
