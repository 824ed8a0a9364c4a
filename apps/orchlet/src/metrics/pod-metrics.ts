import type { core } from "@orchernetes/api";
import type { Counter, Metrics } from "@orchernetes/component";
import { isStaticPod } from "../types/pod-identity.ts";

/** The pods that metrics count. */
export interface CountedPods {
  /** Pods of the sources, which do not terminate. */
  readonly desired: () => readonly core.Pod[];
  /** Pods that may run on the node. */
  readonly active: () => readonly core.Pod[];
  /** Mirror pods of this node on the API server. */
  readonly mirrors: () => number;
  /** The pods that are worked on, those that only the runtime has among them. */
  readonly working: () => readonly WorkingPod[];
}

/** A pod that is worked on. */
interface WorkingPod {
  /** Undefined for one that only the runtime has. */
  readonly pod: core.Pod | undefined;
  /** Its source no longer has it. */
  readonly removed: boolean;
  readonly isEnding: boolean;
  readonly isOver: boolean;
}

const lifecycles = ["sync", "terminating", "terminated"] as const;
/** Values of the labels `config` and `static` together. */
const origins = [
  ["desired", ""],
  ["desired", "true"],
  ["orphan", ""],
  ["orphan", "true"],
  ["runtime_only", "unknown"],
] as const;

function originOf({ pod, removed }: WorkingPod): string {
  if (pod === undefined) return "runtime_only,unknown";
  return `${removed ? "orphan" : "desired"},${isStaticPod(pod) ? "true" : ""}`;
}

/** Adds the metrics of the node's name and of its pods, which are counted when the page is read. */
export function addPodMetrics(
  metrics: Metrics,
  nodeName: string,
  { desired, active, mirrors, working }: CountedPods,
): void {
  metrics
    .gauge({ name: "orchlet_node_name", help: "The node's name. The count is always 1.", labelNames: ["node"] })
    .set(1, [nodeName]);
  const count = (name: string, help: string, pods: () => readonly core.Pod[]) =>
    metrics.gauge({
      name,
      help,
      labelNames: ["static"],
      collect(gauge) {
        const all = pods();
        const fixed = all.filter(isStaticPod).length;
        gauge.set(all.length - fixed, [""]);
        gauge.set(fixed, ["true"]);
      },
    });
  count(
    "orchlet_desired_pods",
    "Number of pods that the sources of the agent specify. static is true if the pod is not from the API server.",
    desired,
  );
  count(
    "orchlet_active_pods",
    "Number of active pods, which count when new pods are admitted. static is true if the pod is not from the API server.",
    active,
  );
  metrics.gauge({
    name: "orchlet_mirror_pods",
    help: "The number of mirror pods the orchlet will try to create (one per admitted static pod)",
    collect: (gauge) => gauge.set(mirrors()),
  });
  metrics.gauge({
    name: "orchlet_working_pods",
    help: "Number of pods that have a pod worker, by lifecycle phase, by configuration (desired, orphan or runtime_only), and by whether the pod is static. Orphaned pods no longer exist in the API or in the static files, but still use resources.",
    labelNames: ["lifecycle", "config", "static"],
    collect(gauge) {
      const counts = new Map<string, number>();
      for (const one of working()) {
        const key = `${one.isOver ? "terminated" : one.isEnding ? "terminating" : "sync"},${originOf(one)}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      for (const lifecycle of lifecycles)
        for (const origin of origins) gauge.set(counts.get([lifecycle, ...origin].join()) ?? 0, [lifecycle, ...origin]);
    },
  });
  metrics.gauge({
    name: "orchlet_managed_ephemeral_containers",
    help: "Current number of ephemeral containers in pods managed by this orchlet.",
    collect: (gauge) => gauge.set(active().reduce((sum, { spec }) => sum + (spec.ephemeralContainers?.length ?? 0), 0)),
  });
}

/** Adds the counter of requests of hooks that were repeated over HTTP. */
export const addHookFallbacks = (metrics: Metrics): Counter =>
  metrics.counter({
    name: "orchlet_lifecycle_handler_http_fallbacks_total",
    help: "The number of times lifecycle handlers successfully fell back to http from https.",
  });
