import type { InterruptibleSteps } from "@orchernetes/kernel";
import type { NodeTable } from "../cache/node-table.ts";
import type { Nominations } from "../cache/nominated-pods.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Rejector } from "../framework/cluster-change.ts";
import { type Decision, decide, type PostFilterVerdict } from "../framework/decide.ts";
import type { Profile } from "../framework/profile.ts";
import type { RandomNumbers } from "../random-numbers.ts";
import type { DecisionExplanation, PreemptionExplanation } from "./explanation.ts";
import { NodeChecker } from "./node-checker.ts";
import { NodeGroups } from "./node-groups.ts";
import { wakeEvents } from "./wake-events.ts";

/** The state that a decision is based on. It is unchanged afterwards. */
export interface DecisionState {
  readonly nodes: NodeTable;
  readonly nominations: Nominations & { nodeOf(key: string): string };
  /** Where the search begins. */
  readonly start: number;
  readonly random: RandomNumbers;
}

/** Number of nodes that are examined in one step. */
const NODES_PER_STEP = 64;

/** The decision that the scheduler would make now, without its effects. */
function decideOn(pod: PodInfo, profile: Profile, state: DecisionState): Decision {
  const { nodes, nominations, start, random } = state;
  const nominatedNode = nominations.nodeOf(pod.key);
  return random.without(() => decide(pod, nodes, profile, { start, random: random.next, nominatedNode, nominations }));
}

/**
 * Explains the decision about a pod: the decision itself in one step, as the scheduler makes it, and then the verdicts of all filters
 * about all nodes, some nodes in each step. If the cluster changes between two steps, each node is judged by the state of
 * its step.
 */
export function* explainDecision(
  pod: PodInfo,
  profile: Profile,
  state: DecisionState,
): InterruptibleSteps<DecisionExplanation | undefined> {
  const { nodes, nominations } = state;
  const decision = decideOn(pod, profile, state);
  const explained = decisionOf(decision, nodes);
  const names = Array.from(nodes.searchOrder(), (slot) => nodes.nameOf(slot));
  const groups = new NodeGroups(
    profile.filters.map(({ name }) => name),
    names.length,
  );
  const { rejections } = new NodeChecker(pod, nodes, profile, nominations);
  for (let first = 0; first < names.length; first += NODES_PER_STEP) {
    if (yield) return undefined;
    const checker = new NodeChecker(pod, nodes, profile, nominations);
    for (const name of names.slice(first, first + NODES_PER_STEP)) {
      const slot = nodes.slotOf(name);
      if (slot !== undefined) groups.add(checker.verdict(slot));
    }
  }
  const refusing = decision.type === "node" ? [] : decision.rejectors;
  return {
    decision: explained,
    rejections,
    nodes: groups.result(),
    preemption: decision.type === "node" ? [] : decision.postFilters.map(preemptionOf),
    wakes: wakeEvents(inOrder(refusing, profile)),
  };
}

/** The rejectors in the order of the filters; other plugins come last. */
function inOrder(rejectors: readonly Rejector[], { filters }: Profile): readonly Rejector[] {
  const place = new Map(filters.map(({ name }, i) => [name, i]));
  const placeOf = ({ name }: Rejector): number => place.get(name) ?? filters.length;
  return rejectors.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const decisionOf = (decision: Decision, nodes: NodeTable): DecisionExplanation["decision"] =>
  decision.type === "node"
    ? {
        type: "node",
        node: nodes.nameOf(decision.slot),
        evaluated: decision.evaluated,
        feasible: decision.feasible,
      }
    : { type: "unschedulable", message: decision.message };

const preemptionOf = ({ plugin, result }: PostFilterVerdict): PreemptionExplanation =>
  result.type === "nominate"
    ? { plugin, type: "nominate", node: result.node, victims: result.victims.map(({ key }) => key) }
    : { plugin, type: "none", message: result.message };
