import type { ControllerHistory } from "../history/history.ts";
import { inOrder, Replay } from "../history/replay.ts";
import { daemonSetRule } from "./daemon-sets.ts";
import { deploymentAvailabilityRule } from "./deployment-availability.ts";
import { deploymentSizeRule } from "./deployment-size.ts";
import { jobRule } from "./jobs.ts";
import { replicaSetRule } from "./replica-sets.ts";
import type { Rule } from "./rule.ts";
import { statefulSetRule } from "./stateful-sets.ts";

const ruleMakers: readonly (() => Rule)[] = [
  replicaSetRule,
  deploymentSizeRule,
  deploymentAvailabilityRule,
  statefulSetRule,
  daemonSetRule,
  jobRule,
];

/**
 * Returns what in a history contradicts the promises of the controllers; empty if they kept them. Every write of a controller must be
 * justified by a version of the owner that is not older than the one that a controller has last reported as observed, together with
 * the pods as they were at that revision. Revisions in gaps of the history are applied and not judged.
 */
export function checkControllers(history: ControllerHistory): readonly string[] {
  const state = new Replay();
  const rules = ruleMakers.map((make) => make());
  const findings: string[] = [];
  for (const event of inOrder(history)) {
    const change = state.apply(event);
    const found = rules.flatMap((rule) => rule(change, state));
    const inGap = history.gaps.some(({ after, until }) => event.revision > after && event.revision <= until);
    if (!inGap) findings.push(...found);
  }
  return findings;
}
