import type { core } from "@orchernetes/api";
import type { Metrics } from "@orchernetes/component";
import { isStaticPod } from "../types/pod-identity.ts";

/** The pods that metrics count. */
export interface CountedPods {
  /** Pods of the sources, which do not terminate. */
  readonly desired: () => readonly core.Pod[];
  /** Pods that may run on the node. */
  readonly active: () => readonly core.Pod[];
}

/** Adds the metrics of the node's name and of its pods, which are counted when the page is read. */
export function addPodMetrics(metrics: Metrics, nodeName: string, { desired, active }: CountedPods): void {
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
    "The number of pods the orchlet is being instructed to run. static is true if the pod is not from the apiserver.",
    desired,
  );
  count(
    "orchlet_active_pods",
    "The number of pods the orchlet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver.",
    active,
  );
  metrics.gauge({
    name: "orchlet_managed_ephemeral_containers",
    help: "Current number of ephemeral containers in pods managed by this orchlet.",
    collect: (gauge) => gauge.set(active().reduce((sum, { spec }) => sum + (spec.ephemeralContainers?.length ?? 0), 0)),
  });
}
