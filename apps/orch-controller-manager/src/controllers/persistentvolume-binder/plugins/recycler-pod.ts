import type { core } from "@orchernetes/api";
import { quantityOf } from "@orchernetes/apimachinery";
import type { NewPod } from "@orchernetes/controller";
import { capacityOf, type Volume } from "../binding/volumes-and-claims.ts";
import type { RecyclerSettings } from "../settings.ts";

const gibibyte = 2 ** 30;

/** The pod that empties a volume, reached by this source. The bigger the volume, the longer it may take. */
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
