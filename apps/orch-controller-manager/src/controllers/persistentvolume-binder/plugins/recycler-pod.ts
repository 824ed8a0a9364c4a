import type { core } from "@orchernetes/api";
import { quantityOf } from "@orchernetes/apimachinery";
import { capacityOf, type Volume } from "@orchernetes/component-helpers";
import type { NewPod } from "@orchernetes/controller";

/** How recycler pods, which delete the content of volumes of one kind, are created. */
export interface RecyclerSettings {
  /** Minimum time limit of such a pod, in seconds. */
  readonly minimumTimeoutSeconds: number;
  /** Additional seconds for each Gi of the volume. */
  readonly incrementTimeoutSeconds: number;
  /** The pod. Its first volume is replaced by the volume to recycle. */
  readonly template: RecyclerTemplate;
}

/** The parts of a pod that a recycler template defines. */
export interface RecyclerTemplate {
  readonly metadata: Pick<core.Pod["metadata"], "namespace" | "labels" | "annotations">;
  readonly spec: core.PodSpec;
}

const gibibyte = 2 ** 30;

/** The pod that deletes the content of a volume. Its time limit grows with the size of the volume. */
export function recyclerPod(
  volume: Volume,
  source: Omit<core.Volume, "name">,
  { minimumTimeoutSeconds, incrementTimeoutSeconds, template }: RecyclerSettings,
): NewPod {
  const gibibytes = Math.ceil(quantityOf(capacityOf(volume)).value() / gibibyte);
  const [first, ...others] = template.spec.volumes ?? [];
  const { namespace = "default", ...metadata } = template.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, name: `recycler-for-${volume.metadata.name}`, namespace },
    spec: {
      ...template.spec,
      activeDeadlineSeconds: Math.max(minimumTimeoutSeconds, incrementTimeoutSeconds * gibibytes),
      volumes: [{ ...source, name: first?.name ?? "vol" }, ...others],
    },
  };
}
