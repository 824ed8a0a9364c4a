import { core } from "@orchernetes/api";
import { type PodRuntime, readySandbox } from "../runtime/pod-runtime.ts";
import type { PodFailure, Refusal } from "../types/pod-failure.ts";
import { allContainers, type ContainerKind } from "../types/pod-identity.ts";
import { conditionsOf } from "./conditions.ts";
import { containerStatusOf, type WaitingReason } from "./container-status.ts";
import { endedStatuses } from "./ended-statuses.ts";
import { phaseOf } from "./phase.ts";

/** Maximum total size of a pod's termination messages in bytes, shared evenly by its containers. */
const podMessageBytes = 12 * 1024;

/** Everything that determines the status of a pod. */
export interface PodStatusInput {
  readonly pod: core.Pod;
  readonly runtime: PodRuntime;
  /** The current status of the pod, including the parts that other writers set. */
  readonly shown: core.PodStatus;
  /** Waiting reasons of containers that do not run, by name. */
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  /** Probe results of a container, by its id. */
  readonly probes: (
    containerId: string,
    container: core.Container,
  ) => { readonly started: boolean; readonly ready: boolean };
  /** Why the agent failed the pod. */
  readonly failure: PodFailure | undefined;
  /** Why the pod is not started at the moment. */
  readonly blocked?: Refusal | undefined;
  /** Whether the pod was terminated and all of its containers have stopped. */
  readonly over: boolean;
  readonly hostIPs: readonly string[];
  /** RFC 3339. */
  readonly startTime: string;
  readonly now: Date;
}

/** Computes the status of a pod. Pure. A terminal phase is never changed. */
export function podStatusOf(input: PodStatusInput): core.PodStatus {
  const { pod, runtime, shown, failure, blocked, over, hostIPs } = input;
  const { spec } = pod;
  if (isRejected(input)) return rejectedStatus(input);
  const list = (kind: ContainerKind, shownList: readonly core.ContainerStatus[] = []) =>
    allContainers(pod)
      .filter((ref) => ref.kind === kind)
      .map(({ container }) =>
        containerStatusOf({
          kind,
          container,
          restartPolicy: spec.restartPolicy ?? "Always",
          runtime,
          waiting: blocked === undefined ? input.waiting.get(container.name) : { reason: "Blocked" },
          defaultReason: (spec.initContainers ?? []).length > 0 ? "PodInitializing" : "ContainerCreating",
          probes: probesOf(input, container),
          messageBytes: Math.floor(podMessageBytes / (spec.containers.length + (spec.initContainers ?? []).length)),
          shown: shownList.find(({ name }) => name === container.name),
          isDeleted: pod.metadata.deletionTimestamp !== undefined,
        }),
      );
  const init = list("init", shown.initContainerStatuses);
  const regular = list("regular", shown.containerStatuses);
  const ephemeral = list("ephemeral", shown.ephemeralContainerStatuses);

  // Controllers replace a pod that has ended, so it must not end while containers still run, such as one for debugging.
  const isRunning = runtime.containers.some(({ phase }) => phase === "running");
  const ended = isRunning ? undefined : failure;
  const settled = isFinal(shown.phase) ? shown.phase : undefined;
  const computed = settled ?? (ended === undefined ? phaseOf(spec, init, regular, over) : "Failed");
  const phase = settled === undefined && isRunning && isFinal(computed) ? (shown.phase ?? "Pending") : computed;
  const kept = settled === undefined ? undefined : shown;
  const { reason, message } = ended ?? blocked ?? kept ?? {};
  const ips = addressesOf(pod, runtime, shown, hostIPs);
  // The phase and conditions say what is known of the containers.
  const shownAs = over ? endedStatuses(spec, shown, { init, regular }) : { init, regular };
  return {
    phase,
    conditions: conditionsOf({
      spec,
      phase: computed,
      init,
      regular,
      shown: shown.conditions ?? [],
      ...(ended?.disruption ? { disruption: ended.disruptionMessage ?? ended.message } : {}),
      now: input.now,
    }),
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
    ...(hostIPs[0] === undefined ? {} : { hostIP: hostIPs[0] }),
    ...(ips[0] === undefined ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    startTime: input.startTime,
    ...(init.length === 0 ? {} : { initContainerStatuses: shownAs.init }),
    containerStatuses: byName(shownAs.regular),
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: byName(ephemeral) }),
    qosClass: shown.qosClass ?? core.podQosClass(spec),
  };
}

const isFinal = (phase: core.PodStatus["phase"]): boolean => phase === "Failed" || phase === "Succeeded";

/** Status of a rejected pod: it has no container statuses, and a restarted agent leaves it unchanged. */
function isRejected({ runtime, shown, failure }: PodStatusInput): boolean {
  if (failure !== undefined) return failure.rejected === true;
  return shown.phase === "Failed" && shown.containerStatuses === undefined && runtime.containers.length === 0;
}

function rejectedStatus({ pod, shown, failure, startTime }: PodStatusInput): core.PodStatus {
  const { reason = "", message = "" } = failure ?? shown;
  return {
    phase: "Failed",
    ...(shown.conditions === undefined ? {} : { conditions: shown.conditions }),
    ...(reason === "" ? {} : { reason }),
    ...(message === "" ? {} : { message }),
    startTime,
    qosClass: shown.qosClass ?? core.podQosClass(pod.spec),
  };
}

function probesOf(
  { runtime, probes }: PodStatusInput,
  container: core.Container,
): { started: boolean; ready: boolean } {
  const latest = runtime.containers.find(({ name }) => name === container.name);
  return latest?.phase === "running" ? probes(latest.id, container) : { started: false, ready: false };
}

/** As in the original, only the statuses of init containers are in the order of the spec. */
const byName = (statuses: readonly core.ContainerStatus[]): core.ContainerStatus[] =>
  [...statuses].sort((a, b) => (a.name < b.name ? -1 : 1));

function addressesOf(
  { spec }: core.Pod,
  runtime: PodRuntime,
  shown: core.PodStatus,
  hostIPs: readonly string[],
): readonly string[] {
  if (spec.hostNetwork) return hostIPs;
  const sandbox = readySandbox(runtime);
  if (sandbox !== undefined && sandbox.ips.length > 0) return sandbox.ips;
  // A terminated pod keeps its last address.
  return (shown.podIPs ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
}
