import { type ObjectMeta, quantityOf } from "@orchernetes/apimachinery";
import { nodeTermWarnings } from "./node-label-warnings.ts";
import type { PersistentVolume } from "./types/persistent-volume.ts";
import type { PersistentVolumeClaim } from "./types/persistent-volume-claim.ts";
import { deprecatedVolumes } from "./warnings.ts";

const storageClassAnnotation = "volume.beta.orchernetes.io/storage-class";

/** Warnings for deprecated or removed features of persistent volumes. */
export function persistentVolumeWarnings({ metadata, spec }: PersistentVolume): string[] {
  const warnings = annotationWarnings(metadata);
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    warnings.push(
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
    );
  }
  spec.nodeAffinity?.required?.nodeSelectorTerms?.forEach((term, i) => {
    warnings.push(...nodeTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${i}]`));
  });
  for (const [source, release] of Object.entries(deprecatedVolumes)) {
    if (spec[source as keyof typeof spec] !== undefined) warnings.push(`spec.${source}: deprecated in ${release}`);
  }
  return warnings;
}

/** Warnings for deprecated features of claims, and for sizes with fractions of a byte. */
export function claimWarnings({ metadata, spec }: PersistentVolumeClaim): string[] {
  const warnings = annotationWarnings(metadata);
  for (const list of ["requests", "limits"] as const) {
    const size = spec.resources?.[list]?.storage;
    if (size !== undefined && quantityOf(size).nanos % 1_000_000_000n !== 0n)
      warnings.push(`spec.resources.${list}[storage]: fractional byte value "${size}" is invalid, must be an integer`);
  }
  return warnings;
}

function annotationWarnings({ annotations = {} }: Pick<ObjectMeta, "annotations">): string[] {
  if (!Object.hasOwn(annotations, storageClassAnnotation)) return [];
  const text = 'deprecated since v1.8; use "storageClassName" attribute instead';
  return [`metadata.annotations[${storageClassAnnotation}]: ${text}`];
}
