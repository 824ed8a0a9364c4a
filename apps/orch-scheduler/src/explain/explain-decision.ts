import { type InterruptibleSteps, messageOf } from "@orchernetes/kernel";
import type { NodeTable } from "../cache/node-table.ts";
import type { Nominations } from "../cache/nominated-pods.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Rejector } from "../framework/cluster-change.ts";
import { type Cycle, type Decision, decide } from "../framework/decide.ts";
import type { PostFilterVerdict } from "../framework/post-filters.ts";
import type { Profile } from "../framework/profile.ts";
import type { RandomNumbers } from "../random-numbers.ts";
import type { DecisionExplanation, NodesExplanation, NodeVerdict, PreemptionExplanation } from "./explanation.ts";
import { type ExtenderDecision, extenderExplanations, extenderRefusals } from "./extender-decision.ts";
import { NodeChecker, type PluginRejection } from "./node-checker.ts";
import { NodeGroups } from "./node-groups.ts";
import { wakeEvents } from "./wake-events.ts";

/** The state that a decision is based on. It is unchanged afterwards. */
export interface DecisionState {
  readonly nodes: NodeTable;
  readonly nominations: Nominations & { nodeOf(key: string): string };
  /** Where the search begins. */
  readonly start: number;
  readonly random: RandomNumbers;
  /** A number that changes with everything that filters read. */
  readonly revision: () => number;
}

/** Number of nodes that are examined in one step. */
const NODES_PER_STEP = 64;

/** The input of the decision that the scheduler would make now. */
export const cycleOf = (pod: PodInfo, { nominations, start, random }: Omit<DecisionState, "revision">): Cycle => ({
  start,
  random: random.next,
  nominatedNode: nominations.nodeOf(pod.key),
  nominations,
});

/** The decision that the scheduler would make now, without its effects; or why there is none. */
function decideOn(
  pod: PodInfo,
  profile: Profile,
  state: DecisionState,
  asked: ExtenderDecision | undefined,
): Decision | { readonly type: "error"; readonly message: string } {
  const { nodes, random } = state;
  const make = asked?.decide ?? (() => decide(pod, nodes, profile, cycleOf(pod, state)));
  try {
    return random.without(make);
  } catch (error) {
    return { type: "error", message: messageOf(error) };
  }
}

/** What the filters say about all nodes. */
interface Examined {
  readonly nodes: NodesExplanation;
  readonly rejections: readonly PluginRejection[];
}

/** The verdicts of all filters about all nodes, some nodes in each step. Filters are prepared again only after changes. */
function* examineNodes(
  pod: PodInfo,
  profile: Profile,
  { nodes, nominations, revision }: DecisionState,
  complete: (verdict: NodeVerdict) => NodeVerdict,
): InterruptibleSteps<Examined | undefined> {
  const names = Array.from(nodes.searchOrder(), (slot) => nodes.nameOf(slot));
  const groups = new NodeGroups(
    profile.filters.map(({ name }) => name),
    names.length,
  );
  let checker = new NodeChecker(pod, nodes, profile, nominations);
  const { rejections } = checker;
  let seen = revision();
  for (let first = 0; first < names.length; first += NODES_PER_STEP) {
    if (yield) return undefined;
    if (revision() !== seen) checker = new NodeChecker(pod, nodes, profile, nominations);
    for (const name of names.slice(first, first + NODES_PER_STEP)) {
      const slot = nodes.slotOf(name);
      if (slot !== undefined) groups.add(complete(checker.verdict(slot)));
    }
    // The checker tries nominated pods out, which changes the number, and undoes it.
    seen = revision();
  }
  return { nodes: groups.result(), rejections };
}

/**
 * Explains the decision about a pod: the decision itself in one step, as the scheduler makes it, and then the verdicts of all filters
 * about all nodes, some nodes in each step. If the cluster changes between two steps, each node is judged by the state of
 * its step.
 *
 * @param asked the answers of extenders, which cannot be waited for here; @default there are no extenders
 */
export function* explainDecision(
  pod: PodInfo,
  profile: Profile,
  state: DecisionState,
  asked?: ExtenderDecision,
): InterruptibleSteps<DecisionExplanation | undefined> {
  const { nodes } = state;
  const decision = decideOn(pod, profile, state, asked);
  const outcome = outcomeOf(decision, nodes);
  const foreign = asked && extenderRefusals(asked);
  const complete = (verdict: NodeVerdict): NodeVerdict => {
    const refusal = foreign?.get(verdict.node);
    return refusal === undefined ? verdict : { ...verdict, refusals: [...verdict.refusals, refusal] };
  };
  const examined = yield* examineNodes(pod, profile, state, complete);
  if (examined === undefined) return undefined;
  const refused = decision.type === "unschedulable" ? decision : undefined;
  return {
    ...outcome,
    ...examined,
    ...(asked !== undefined && asked.extenders.length > 0 && { extenders: extenderExplanations(pod, asked) }),
    preemption: refused?.postFilters.map(preemptionOf) ?? [],
    wakes: wakeEvents(inOrder(refused?.rejectors ?? [], profile)),
  };
}

/** The rejectors in the order of the filters; other plugins come last. */
function inOrder(rejectors: readonly Rejector[], { filters }: Profile): readonly Rejector[] {
  const place = new Map(filters.map(({ name }, i) => [name, i]));
  const placeOf = ({ name }: Rejector): number => place.get(name) ?? filters.length;
  return rejectors.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function outcomeOf(
  decision: ReturnType<typeof decideOn>,
  nodes: NodeTable,
): Pick<DecisionExplanation, "decision" | "error"> {
  switch (decision.type) {
    case "node": {
      const { slot, evaluated, feasible } = decision;
      return { decision: { type: "node", node: nodes.nameOf(slot), evaluated, feasible } };
    }
    case "unschedulable":
      return { decision: { type: "unschedulable", message: decision.message } };
    case "error":
      return { error: decision.message };
    default:
      return decision satisfies never;
  }
}

function preemptionOf({ plugin, result }: PostFilterVerdict): PreemptionExplanation {
  switch (result.type) {
    case "nominate":
      return { plugin, type: "nominate", node: result.node, victims: result.victims.map(({ key }) => key) };
    case "none":
      return { plugin, type: "none", message: result.message };
    case "error":
      return { plugin, type: "none", message: `the plugin fails: ${messageOf(result.error)}` };
    default:
      return result satisfies never;
  }
}
