import { silentLogger } from "@orchernetes/kernel";
import { podInfo } from "../cache/pod-info.ts";
import { cycleOf } from "../explain/explain-decision.ts";
import { decidingProfile, type ExplainedPod } from "../explain/explain-pod.ts";
import { decideAndRecord, type ExtenderDecision, failedDecision } from "../explain/extender-decision.ts";
import { RecordedExtender } from "./recorded-extender.ts";
import type { RestoredState } from "./restore-snapshot.ts";

/** The state with which a decision about a pod is repeated, and what extenders answered. */
export interface RecordedDecision {
  readonly state: RestoredState;
  /** Undefined if there is nothing to decide. */
  readonly asked: ExtenderDecision | undefined;
}

/**
 * Repeats the decision about a pod with the recorded answers of extenders, from where the search and the random numbers of that
 * attempt began. Nothing is requested. Pods that concern no extender are decided on the state of the snapshot.
 */
export async function repeatDecision(explained: ExplainedPod, restored: RestoredState): Promise<RecordedDecision> {
  const profile = decidingProfile(explained);
  if (restored.extenders.length === 0 || profile === undefined) return { state: restored, asked: undefined };
  const info = podInfo(explained.pod);
  const recorded = restored.attempts.get(info.key);
  const attempt = recorded?.uid === info.uid ? recorded : undefined;
  const extenders = restored.extenders.map((settings, place) => new RecordedExtender(settings, place, attempt));
  if (attempt === undefined) {
    const concerned = extenders.filter((extender) => extender.isInterested(info));
    const names = concerned.map(({ name }) => name).join(", ");
    const error = new Error(`the snapshot has no answers of extenders about this pod, which concerns ${names}`);
    const decide = concerned.length === 0 ? undefined : failedDecision(error);
    return { state: restored, asked: { extenders, exchanges: [], decide } };
  }
  const { nodes, random } = restored;
  const state = { ...restored, start: attempt.start };
  random.state = attempt.seed;
  const asked = await decideAndRecord(info, nodes, profile, cycleOf(info, state), {
    extenders,
    pod: async ({ pod }) => pod,
    node: (name) => nodes.nodeAt(nodes.slotOf(name) ?? -1),
    logger: silentLogger,
    signal: new AbortController().signal,
  });
  return { state, asked };
}
