import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Indexers } from "@orchernetes/client";
import { claimsOfPod } from "@orchernetes/component-helpers";

/** Index of pods by the keys of the claims they use. */
export const claimIndex = "claim";

/** Keys of the claims that a pod uses, including those of its generic ephemeral volumes (KEP-1698). */
export function claimKeysOf(pod: Stored<core.Pod>): readonly string[] {
  const { namespace = "" } = pod.metadata;
  return claimsOfPod(pod).map(({ name }) => `${namespace}/${name}`);
}

/** The indexer of {@link claimIndex}. */
export const claimIndexers: Indexers<core.Pod> = { [claimIndex]: claimKeysOf };
