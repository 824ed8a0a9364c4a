import { nodeTermWarnings } from "./node-label-warnings.ts";
import type { PersistentVolume } from "./types/persistent-volume.ts";
import { deprecatedVolumes } from "./warnings.ts";

const storageClassAnnotation = "volume.beta.orchernetes.io/storage-class";

/** What works in a volume but has a better way by now, or does not work any more. */
export function persistentVolumeWarnings({ metadata, spec }: PersistentVolume): string[] {
  const warnings: string[] = [];
  if (Object.hasOwn(metadata.annotations ?? {}, storageClassAnnotation)) {
    const text = 'deprecated since v1.8; use "storageClassName" attribute instead';
    warnings.push(`metadata.annotations[${storageClassAnnotation}]: ${text}`);
  }
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
