import type { core } from "@orchernetes/api";
import { assertNever, messageOf } from "@orchernetes/kernel";
import { allContainers, type PodIdentity } from "../types/pod-identity.ts";
import { ContainerStartError } from "../types/start-error.ts";
import { VolumeError } from "../volumes/volume-manager.ts";
import type { PodSnapshot } from "./lifecycle/pod-state.ts";
import type { EffectResult, PodEffect } from "./lifecycle/transition.ts";
import type { PodWorkerServices } from "./pod-worker-services.ts";

type Effect<T extends PodEffect["type"]> = Extract<PodEffect, { type: T }>;

/** The round of a pod's worker in which an effect is performed. */
export interface PodRound {
  /** Aborts when the effect is to be interrupted. */
  readonly signal: AbortSignal;
  /** Monotonic time at which the round before ended, in milliseconds; `Infinity` in the first round. Nothing was done to the pod since. */
  readonly idleSinceMs: number;
}

/** Performs an effect of a pod's worker. Never rejects: errors are results, too. */
export async function performEffect(
  effect: PodEffect,
  identity: PodIdentity,
  services: PodWorkerServices,
  round: PodRound,
): Promise<EffectResult> {
  try {
    return await perform(effect, identity, services, round);
  } catch (error) {
    return { type: "EffectFailed", error };
  }
}

/** Records an event about a pod, or about one of its containers. Does nothing for an unknown pod. */
export function recordPodEvent(
  { recordEvent }: Pick<PodWorkerServices, "recordEvent">,
  pod: core.Pod | undefined,
  container: string | undefined,
  ...event: [type: "Normal" | "Warning", reason: string, message: string]
): void {
  if (pod === undefined) return;
  const ref = allContainers(pod).find((candidate) => candidate.container.name === container);
  recordEvent(pod, ref === undefined ? undefined : { kind: ref.kind, name: ref.container.name }, ...event);
}

const done: EffectResult = Object.freeze({ type: "Done" });

async function perform(
  effect: PodEffect,
  identity: PodIdentity,
  services: PodWorkerServices,
  round: PodRound,
): Promise<EffectResult> {
  const { signal } = round;
  switch (effect.type) {
    case "ReadRuntime":
      return { type: "RuntimeRead", snapshot: await readRuntime(effect, identity, services, round) };
    case "Admit": {
      const refusal = await services.admission.admit(effect.pod, signal);
      return refusal === undefined ? { type: "Admitted" } : { type: "Refused", refusal };
    }
    case "PrepareVolumes":
      return prepareVolumes(effect, services, signal);
    case "CreateSandbox":
      await services.starter.createSandbox(
        effect.pod,
        effect.attempt,
        (...event) => recordPodEvent(services, effect.pod, undefined, ...event),
        signal,
      );
      return done;
    case "StartContainer":
      return startContainer(effect, services, signal);
    case "KillContainer":
      await services.killer.kill(effect.container, { ...killOrder(effect, services, signal), message: effect.message });
      return done;
    case "KillPod":
      await services.killer.killPod(effect.runtime, killOrder(effect, services, signal));
      return done;
    case "Release":
      await services.release(effect.runtime);
      return done;
    case "FlushStatus":
      await services.statuses.flushed(identity.uid);
      return done;
    case "Clear":
      services.probes.stop(identity.uid);
      await services.clear(effect.runtime);
      return done;
    case "DeletePod":
      await services.deletePod(effect.pod);
      return done;
    default:
      return assertNever(effect);
  }
}

/** Reads the state of the pod, and starts or stops its probes accordingly. */
async function readRuntime(
  { pod, probes, listed = false }: Effect<"ReadRuntime">,
  identity: PodIdentity,
  services: PodWorkerServices,
  { signal, idleSinceMs }: PodRound,
): Promise<PodSnapshot> {
  const known = listed ? services.reader.unchanged(identity.uid, idleSinceMs) : undefined;
  const runtime = known ?? (await services.reader.read(identity));
  // An interrupted pod terminates: its probes must not be started again.
  signal.throwIfAborted();
  if (probes === "sync" && pod !== undefined) services.probes.sync(pod, runtime);
  if (probes === "readiness") services.probes.keepReadiness(identity.uid, runtime);
  if (probes === "stop") services.probes.stop(identity.uid);
  const results = new Map<string, { readonly started: boolean; readonly ready: boolean }>();
  for (const { container } of pod === undefined ? [] : allContainers(pod)) {
    const latest = runtime.containers.find(({ name }) => name === container.name);
    if (latest?.phase === "running") results.set(latest.id, services.probes.state(latest.id, container));
  }
  return {
    runtime,
    probes: results,
    verdicts: services.probes.verdicts(),
    hostIPs: services.hostIPs(),
    blocked: pod === undefined ? undefined : services.admission.blocked(pod),
  };
}

/** Prepares the volumes. Only errors of a volume are a VolumesFailed result; others fail the round. */
async function prepareVolumes(
  { pod, runtime }: Effect<"PrepareVolumes">,
  services: PodWorkerServices,
  signal: AbortSignal,
): Promise<EffectResult> {
  try {
    const volumes = await services.volumes.prepare(pod, services.contentSources(pod, runtime), signal);
    return { type: "VolumesPrepared", volumes };
  } catch (error) {
    if (!(error instanceof VolumeError)) throw error;
    return { type: "VolumesFailed", message: error.message };
  }
}

/** Starts a container. A failure affects only this container, so it does not fail the round. */
async function startContainer(
  { pod, ref, restartCount, runtime, volumes }: Effect<"StartContainer">,
  services: PodWorkerServices,
  signal: AbortSignal,
): Promise<EffectResult> {
  try {
    await services.starter.startContainer({
      pod,
      ref,
      restartCount,
      runtime,
      volumes,
      facts: services.facts(pod, runtime),
      recordEvent: (...event) => recordPodEvent(services, pod, ref.container.name, ...event),
      signal,
    });
    return done;
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof ContainerStartError))
      return { type: "StartFailed", reason: "RunContainerError", message: messageOf(error), retryInMs: undefined };
    const { reason, message, retryInMs } = error;
    return { type: "StartFailed", reason, message, retryInMs };
  }
}

const killOrder = (
  { pod, graceSeconds }: Effect<"KillPod" | "KillContainer">,
  services: PodWorkerServices,
  signal: AbortSignal,
) => ({
  pod,
  graceSeconds,
  recordEvent: (container: string, ...event: [type: "Normal" | "Warning", reason: string, message: string]) =>
    recordPodEvent(services, pod, container, ...event),
  signal,
});
