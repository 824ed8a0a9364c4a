import { core } from "@orchernetes/api";
import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import { createAppArmorPolicy, isAppArmorEnabled } from "../admission/app-armor.ts";
import { createPodAdmission, type PodAdmission } from "../admission/pod-admission.ts";
import { createPreemption } from "../admission/preempt-pod.ts";
import { createSysctlPolicy } from "../admission/sysctls.ts";
import type { PodFacts } from "../objects/field-refs.ts";
import { clearPod } from "../pods/clear-pod.ts";
import { stopSandboxes } from "../pods/container-killer.ts";
import type { PodWorkerServices } from "../pods/pod-worker-services.ts";
import { createProbeManager, type ProbeManager } from "../probes/probe-manager.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import { refusalByShutdown } from "../shutdown/shutdown-state.ts";
import { showsStatusOf } from "../sources/mirror-pods.ts";
import { createStatusManager, type StatusManager } from "../status/status-manager.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import type { AgentNode } from "./agent-node.ts";
import type { PodTools } from "./pod-tools.ts";

/** The values of the downward API that are not part of the Pod object. */
export const factsOf =
  ({ config: { nodeName, nodeIPs } }: AgentHost, { allocatable }: AgentNode) =>
  (pod: core.Pod, runtime: PodRuntime): PodFacts => ({
    nodeName,
    hostIPs: nodeIPs,
    podIPs: pod.spec.hostNetwork ? nodeIPs : (runtime.sandboxes[0]?.ips ?? []),
    allocatable,
  });

/** Creates the manager of the probes of this node's pods, with its metrics. */
export function createProbes(
  { cri, clock, logger, metrics }: AgentHost,
  { recordEvent, workers }: PodTools,
): ProbeManager {
  return createProbeManager({
    cri,
    clock,
    logger,
    results: metrics.counter({
      name: "prober_probe_total",
      help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
      labelNames: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
    }),
    durations: metrics.histogram({
      name: "prober_probe_duration_seconds",
      help: "Duration in seconds for a probe response.",
      labelNames: ["probe_type", "container", "pod", "namespace"],
    }),
    recordEvent: (pod, container, type, reason, message) =>
      recordEvent(pod, { kind: "regular", name: container.name }, type, reason, message),
    onChange: (uid) => workers.wake(uid),
  });
}

/** Creates the status manager, which writes the statuses of pods and mirror pods. */
export function createStatuses(
  { clock, logger, signal }: AgentHost,
  api: AgentApi | undefined,
  { work }: Pick<PodTools, "work">,
): StatusManager {
  return createStatusManager({
    client: api?.client,
    clock,
    onWritten: work.statusWritten,
    shownBy: (pod) => {
      const shown = api?.pods.lister.get(pod.metadata.namespace ?? "", pod.metadata.name ?? "");
      return shown !== undefined && showsStatusOf(shown, pod) ? shown : undefined;
    },
    logger,
    signal,
  });
}

/** Creates the admission of pods, which preempts others for critical ones. */
export function createAdmission(host: AgentHost, node: AgentNode, { workers, recordEvent }: PodTools): PodAdmission {
  const { config, machine, metrics, clock, logger, signal } = host;
  const preemptions = metrics.counter({
    name: "orchlet_preemptions",
    help: "Cumulative number of pod preemptions by preemption resource",
    labelNames: ["preemption_signal"],
  });
  return createPodAdmission({
    active: (admitted) => workers.holding(admitted),
    node: () => node.ownNode.current(),
    freshNode: (within) => node.ownNode.fresh(within),
    pressure: node.pressure,
    closed: () => refusalByShutdown(node.shutdown),
    resources: host.resources,
    sysctls: createSysctlPolicy(config.settings.allowedUnsafeSysctls, machine.kernelVersion),
    appArmor: createAppArmorPolicy(isAppArmorEnabled),
    preempt: createPreemption({
      end: (uid, failure) => workers.end(uid, failure),
      recordEvent: (pod, reason, message) => recordEvent(pod, undefined, "Warning", reason, message),
      count: (resource) => preemptions.inc([resource]),
      disruption: config.featureEnabled("PodDisruptionConditions"),
      ...{ clock, logger, signal },
    }),
  });
}

/** The steps that follow when all containers of a pod have stopped. */
export function podEnds(
  { cri, paths, signal, config, resources }: AgentHost,
  api: AgentApi | undefined,
  { volumes, cgroups, puller, tokens, objects }: PodTools,
): Pick<PodWorkerServices, "release" | "clear" | "deletePod"> {
  return {
    async release(runtime) {
      const { uid } = runtime;
      // A sandbox that ended by itself was not stopped when the pod was killed.
      await stopSandboxes(cri, runtime);
      // If kept, they are removed with the pod's other files.
      if (config.keepTerminatedPodVolumes !== true) await volumes.release(uid);
      await cgroups.remove(uid);
      resources.release(uid);
      tokens?.forget(uid);
      objects.forget(uid);
    },
    async clear(runtime) {
      await clearPod(runtime, { cri, volumes, cgroups, paths });
      resources.release(runtime.uid);
      puller.forget(runtime.uid);
      tokens?.forget(runtime.uid);
      objects.forget(runtime.uid);
    },
    async deletePod({ metadata: { name = "", namespace = "", uid = "" } }) {
      try {
        await api?.client
          .resource(core.pods)
          .namespace(namespace)
          .delete(name, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    },
  };
}
