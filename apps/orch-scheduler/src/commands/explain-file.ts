import { atOnce } from "@orchernetes/kernel";
import { type ExplainedPod, explainPod } from "../explain/explain-pod.ts";
import type { PodExplanation } from "../explain/explanation.ts";
import { repeatDecision } from "../offline/recorded-decision.ts";
import { restoreFile } from "../offline/restore-file.ts";
import type { RestoredState } from "../offline/restore-snapshot.ts";

function explainedPod(key: string, state: RestoredState): ExplainedPod {
  const placed = state.placed.get(key);
  const pod = placed?.pod ?? state.pending.get(key);
  if (pod === undefined) throw new Error(`pod ${JSON.stringify(key)} not found in the snapshot`);
  const entry = state.queue.get(key);
  const { pod: _, ...queued } = entry ?? { pod: "" };
  return {
    pod,
    queued: entry && (queued as Omit<typeof entry, "pod">),
    assumedNode: state.assumed.has(key) ? placed?.node : undefined,
    profile: state.profiles.get(pod.spec.schedulerName ?? ""),
  };
}

/**
 * Explains where a pod is from the file of a snapshot: the decision is that of the scheduler at that moment, or of its last
 * attempt if extenders take part in it.
 *
 * @param config the configuration that names the modules of users' plugins; undefined: they are left out
 * @throws Error if the file is no snapshot, or the pod is not in it
 */
export async function explainFile(file: string, key: string, config: string | undefined): Promise<PodExplanation> {
  const { state: restored, leftOut } = await restoreFile(file, config);
  const explained = explainedPod(key, restored);
  const { state, asked } = await repeatDecision(explained, restored);
  const explanation = atOnce(explainPod(explained, state, asked));
  if (explanation === undefined) throw new Error("the explanation was interrupted");
  return leftOut.length === 0 ? explanation : { ...explanation, leftOut };
}
