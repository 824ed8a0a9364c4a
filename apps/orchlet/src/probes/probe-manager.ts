import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { ContainerObservation, PodRuntime } from "../runtime/pod-runtime.ts";
import type { CheckResult, CheckTarget } from "./check.ts";
import { runHandler } from "./handlers.ts";
import { type ProbeInstruments, ProbeMetrics } from "./probe-metrics.ts";
import { type ProbeKind, runProbe, type Verdict } from "./probe-worker.ts";

/** Why a container must be killed while its pod keeps running. */
export interface ContainerVerdict {
  readonly message: string;
  /** The grace period of the probe, which overrides the pod's (KEP-2238). */
  readonly graceSeconds?: number | undefined;
}

/** Runs the probes of containers and stores their results. */
export interface ProbeManager {
  /** Starts the probes of the pod's running containers, and stops those of its other containers. */
  sync(pod: core.Pod, runtime: PodRuntime): void;
  /** The probe results of a running container. Without a startup or readiness probe, it is started or ready. */
  state(containerId: string, container: core.Container): { readonly started: boolean; readonly ready: boolean };
  /** Containers that failed a liveness or startup probe, by id. */
  verdicts(): ReadonlyMap<string, ContainerVerdict>;
  /** Stops the probes of a pod that terminates, but for the readiness probes of containers that still run. */
  keepReadiness(podUid: string, runtime: PodRuntime): void;
  /** Stops the probes of a pod. */
  stop(podUid: string): void;
}

interface Probed {
  readonly podUid: string;
  readonly abort: AbortController;
  /** Ends the probes that cause restarts. */
  readonly restarts: AbortController;
  /** Aborts when the startup probe succeeds. */
  readonly started: AbortController;
  readonly verdicts: Map<ProbeKind, Verdict>;
}

const fields = { liveness: "livenessProbe", readiness: "readinessProbe", startup: "startupProbe" } as const;
const titles = { liveness: "Liveness", readiness: "Readiness", startup: "Startup" } as const;

/** The services that probes use, and the recipients of their results. */
export interface ProbeManagerOptions extends ProbeInstruments {
  readonly cri: CriClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Records an event about a container of a pod. */
  readonly recordEvent: (
    pod: core.Pod,
    container: core.Container,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ) => void;
  /** Called when the result of a probe of the pod has changed. */
  readonly onChange: (podUid: string) => void;
}

const newProbed = (podUid: string): Probed => ({
  podUid,
  verdicts: new Map(),
  abort: new AbortController(),
  restarts: new AbortController(),
  started: new AbortController(),
});

const failureOf = ({ name }: core.Container, kind: ProbeKind, probe: core.Probe): ContainerVerdict => ({
  message: `Container ${name} failed ${kind} probe`,
  graceSeconds: probe.terminationGracePeriodSeconds,
});

/** Creates the manager of all probes on this node. */
export function createProbeManager(options: ProbeManagerOptions): ProbeManager {
  const { clock, logger, recordEvent, onChange } = options;
  const probed = new Map<string, Probed>();
  /** Ids of these containers by their pods. */
  const ofPods = new Map<string, Set<string>>();
  const failed = new Map<string, ContainerVerdict>();
  const metrics = new ProbeMetrics(options);

  const start = (pod: core.Pod, container: core.Container, latest: ContainerObservation, podIP: string): void => {
    const podUid = pod.metadata.uid ?? "";
    const entry = newProbed(podUid);
    probed.set(latest.id, entry);
    const ids = ofPods.get(podUid) ?? new Set();
    ofPods.set(podUid, ids.add(latest.id));
    for (const kind of Object.keys(fields) as readonly ProbeKind[]) {
      const probe = container[fields[kind]];
      if (probe === undefined) continue;
      const target = { containerId: latest.id, container, podIP };
      void runProbe(
        {
          kind,
          probe,
          startedAtMs: latest.startedAtMs,
          clock,
          check: (signal) => check(options, metrics, { kind, probe, pod, target, signal }),
          paused: () =>
            kind !== "startup" && container.startupProbe !== undefined && entry.verdicts.get("startup") !== "success",
          // As in the original, the container is checked for readiness at once, and for liveness after its period.
          ...(kind === "readiness" && { resumed: entry.started.signal }),
          onProblem: ({ outcome, message }) => {
            const what = outcome === "failure" ? "failed" : "errored";
            recordEvent(pod, container, "Warning", "Unhealthy", `${titles[kind]} probe ${what}: ${message}`);
          },
          onVerdict: (verdict) => {
            if (entry.verdicts.get(kind) === verdict) return;
            entry.verdicts.set(kind, verdict);
            if (kind === "startup" && verdict === "success") entry.started.abort();
            if (verdict === "failure" && kind !== "readiness") failed.set(latest.id, failureOf(container, kind, probe));
            onChange(podUid);
          },
        },
        kind === "readiness" ? entry.abort.signal : AbortSignal.any([entry.abort.signal, entry.restarts.signal]),
      ).catch((error: unknown) => logger.error(error, "A probe ended", { container: container.name }));
    }
  };

  const end = (id: string, entry: Probed): void => {
    entry.abort.abort();
    probed.delete(id);
    failed.delete(id);
    const ids = ofPods.get(entry.podUid);
    ids?.delete(id);
    if (ids?.size === 0) ofPods.delete(entry.podUid);
  };

  /** The containers of a pod that are probed. They may be ended meanwhile. */
  const containersOf = (podUid: string): readonly (readonly [string, Probed])[] =>
    [...(ofPods.get(podUid) ?? [])].flatMap((id) => {
      const entry = probed.get(id);
      return entry === undefined ? [] : [[id, entry] as const];
    });

  return {
    sync(pod, runtime) {
      const podUid = pod.metadata.uid ?? "";
      const podIP = runtime.sandboxes[0]?.ips[0] ?? pod.status?.podIP ?? "127.0.0.1";
      const running = new Set<string>();
      for (const container of pod.spec.containers) {
        const latest = runtime.containers.find(({ name }) => name === container.name);
        if (latest?.phase !== "running") continue;
        running.add(latest.id);
        if (!probed.has(latest.id)) start(pod, container, latest, podIP);
      }
      for (const [id, entry] of containersOf(podUid)) if (!running.has(id)) end(id, entry);
    },
    state(containerId, container) {
      const verdicts = probed.get(containerId)?.verdicts;
      const started = container.startupProbe === undefined || verdicts?.get("startup") === "success";
      const ready = container.readinessProbe === undefined || verdicts?.get("readiness") === "success";
      return { started, ready: started && ready };
    },
    verdicts: () => failed,
    keepReadiness(podUid, runtime) {
      const running = new Set(runtime.containers.filter(({ phase }) => phase === "running").map(({ id }) => id));
      for (const [id, entry] of containersOf(podUid)) {
        if (running.has(id)) entry.restarts.abort();
        else end(id, entry);
      }
    },
    stop(podUid) {
      for (const [id, entry] of containersOf(podUid)) end(id, entry);
      metrics.forget(podUid);
    },
  };
}

/** One check of a container. */
interface Check {
  readonly kind: ProbeKind;
  readonly probe: core.Probe;
  readonly pod: core.Pod;
  readonly target: CheckTarget;
  readonly signal: AbortSignal;
}

/** Performs a check, and counts its result unless the probe has ended meanwhile. */
async function check(
  { cri, clock, recordEvent }: ProbeManagerOptions,
  metrics: ProbeMetrics,
  { kind, probe: { timeoutSeconds = 1, ...probe }, pod, target, signal }: Check,
): Promise<CheckResult> {
  const begunMs = clock.monotonicMs();
  const result = await runHandler(probe, target, { cri, timeoutSeconds, signal });
  if (signal.aborted) return result;
  if (result.outcome === "success" && result.warning !== undefined)
    recordEvent(pod, target.container, "Warning", "ProbeWarning", `${titles[kind]} probe warning: ${result.warning}`);
  const seconds = (clock.monotonicMs() - begunMs) / 1000;
  metrics.count(pod, target.container.name, titles[kind], { outcome: result.outcome, seconds });
  return result;
}
