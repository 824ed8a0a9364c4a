import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Indexers } from "@orchernetes/client";

/** Index of pods by the keys of the claims they use. */
export const claimIndex = "claim";

/** Keys of the claims that a pod uses, including those of its generic ephemeral volumes (KEP-1698). */
export function claimKeysOf({ metadata, spec }: Stored<core.Pod>): readonly string[] {
  const { namespace = "" } = metadata;
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [`${namespace}/${persistentVolumeClaim.claimName}`];
    // The claim of an ephemeral volume is named after the pod and the volume.
    return ephemeral === undefined ? [] : [`${namespace}/${metadata.name}-${name}`];
  });
}

/** The indexer of {@link claimIndex}. */
export const claimIndexers: Indexers<core.Pod> = { [claimIndex]: claimKeysOf };
