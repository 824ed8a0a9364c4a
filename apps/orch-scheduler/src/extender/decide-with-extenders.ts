import type { core } from "@orchernetes/api";
import { type Logger, messageOf } from "@orchernetes/kernel";
import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Candidate } from "../framework/candidate.ts";
import { chooseBest, totalScores } from "../framework/choose-best.ts";
import type { Cycle, Decision } from "../framework/decide.ts";
import { explainRefusal, explainRejection, type ForeignReason, type Refusal } from "../framework/explain-refusal.ts";
import { PodFilters } from "../framework/pod-filters.ts";
import { runWaitingPostFilters, withPostFilters } from "../framework/post-filters.ts";
import type { Profile } from "../framework/profile.ts";
import { type FeasibleNodes, findNodes } from "../framework/schedule-pod.ts";
import { askFilter, askScores, askVictims, type DecidingExtender } from "./ask-extender.ts";
import type { ExtenderExchange } from "./exchange.ts";

/** What decisions with extenders need in addition to the state. */
export interface ExtenderServices {
  /** In the order of the configuration. */
  readonly extenders: readonly DecidingExtender[];
  /** The whole pod, for extenders: caches keep a part of it. @throws ApiError */
  readonly pod: (info: PodInfo, signal: AbortSignal) => Promise<PodInfo["pod"]>;
  /** The node as last observed. */
  readonly node: (name: string) => core.Node | undefined;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Receives each answer. @default nothing is recorded */
  readonly record?: ((exchange: ExtenderExchange) => void) | undefined;
  /** Runs a post-filter, which may draw random numbers of the scheduler. @default it is simply called */
  readonly isolated?: <T>(work: () => T) => T;
}

/** A pod, and the state that decisions about it are based on. */
interface Question {
  readonly pod: PodInfo;
  /** With the whole pod, for extenders. */
  readonly whole: PodInfo;
  readonly nodes: NodeTable;
  readonly profile: Profile;
  readonly cycle: Cycle;
  /** Those that the pod concerns; ignorable ones come last. */
  readonly extenders: readonly DecidingExtender[];
  readonly services: ExtenderServices;
}

/**
 * Decides about one pod, with extenders. The cluster may change while they answer. Therefore the result is a function,
 * which makes the decision on the state at the time of the call: only nodes that still pass are chosen.
 *
 * @throws Error if an extender that is not ignorable fails; the function, if no node passes any more
 */
export async function decideWithExtenders(
  pod: PodInfo,
  nodes: NodeTable,
  profile: Profile,
  cycle: Cycle,
  services: ExtenderServices,
): Promise<() => Decision> {
  const interested = services.extenders.filter((extender) => extender.isInterested(pod));
  const extenders = [
    ...interested.filter(({ settings }) => !settings.ignorable),
    ...interested.filter(({ settings }) => settings.ignorable),
  ];
  const whole = { ...pod, pod: await services.pod(pod, services.signal) };
  const question: Question = { pod, whole, nodes, profile, cycle, extenders, services };
  const search = await searchWithExtenders(question);
  if (search.type === "unschedulable") return failed(question, search);
  const { passed, reasons } = search;
  const filters = PodFilters.prepare(pod, nodes, profile, cycle.nominations);
  if ("rejected" in filters) return failed(question, explainRejection(filters, nodes));
  const slots = passing(filters, nodes, passed);
  if (slots.length === 0) {
    const foreign = (slot: number): ForeignReason | undefined => reasons.get(nodes.nameOf(slot));
    return failed(question, explainRefusal(filters, nodes, nodes.searchOrder(), foreign));
  }
  const totals =
    slots.length === 1 ? new Float64Array(1) : totalScores(pod, nodes, profile, slots, filters.state, cycle.meter);
  const byName = new Map(Array.from(slots, (slot, i) => [nodes.nameOf(slot), totals[i] ?? 0]));
  if (slots.length > 1) await addScores(question, byName);
  const { evaluated, next } = search;
  return () => {
    const { slot, state } = choose(question, byName);
    return { type: "node", slot, evaluated, feasible: byName.size, next, state };
  };
}

/** The nodes that plugins and extenders accept, and why extenders reject others. */
interface Search extends Pick<FeasibleNodes, "type" | "evaluated" | "next">, Filtered {}

/**
 * Asks extenders about the nominated node first, if plugins accept it, and about others if an extender rejects it or, as upstream, fails.
 */
async function searchWithExtenders(question: Question): Promise<Search | Refusal> {
  const { pod, nodes, profile, cycle, services } = question;
  const search = findNodes(pod, nodes, profile, cycle);
  if (search.type === "unschedulable") return search;
  const names = Array.from(search.slots, (slot) => nodes.nameOf(slot));
  if (cycle.nominatedNode === "" || names.length !== 1 || names[0] !== cycle.nominatedNode)
    return { ...search, ...(await filterNodes(question, names)) };
  const first = await filterNodes(question, names).catch((error: unknown) => {
    services.signal.throwIfAborted();
    services.logger.warn("An extender failed for the nominated node", { pod: pod.key, error: messageOf(error) });
    return undefined;
  });
  if (first !== undefined && first.passed.length > 0) return { ...search, ...first };
  const others = findNodes(pod, nodes, profile, { ...cycle, nominatedNode: "" });
  if (others.type === "unschedulable") return others;
  const slots = Array.from(others.slots, (slot) => nodes.nameOf(slot));
  return { ...others, ...(await filterNodes(question, slots)) };
}

/** The slots of those of the nodes that exist and pass. */
function passing(filters: PodFilters, nodes: NodeTable, names: Iterable<string>): Int32Array {
  const slots: number[] = [];
  for (const name of names) {
    const slot = nodes.slotOf(name);
    if (slot !== undefined && filters.passes(slot)) slots.push(slot);
  }
  return Int32Array.from(slots);
}

/** The best node that passes now. */
function choose({ pod, nodes, profile, cycle }: Question, totals: ReadonlyMap<string, number>) {
  const filters = PodFilters.prepare(pod, nodes, profile, cycle.nominations);
  const slots = "rejected" in filters ? new Int32Array() : passing(filters, nodes, totals.keys());
  if ("rejected" in filters || slots.length === 0)
    throw new Error("no node fits any more: the cluster changed while extenders answered");
  const scores = Float64Array.from(slots, (slot) => totals.get(nodes.nameOf(slot)) ?? 0);
  return { slot: chooseBest(slots, scores, cycle.random), state: filters.state };
}

const asked = (extender: DecidingExtender, { extenders, record, signal }: ExtenderServices) => ({
  extender,
  place: extenders.indexOf(extender),
  record,
  signal,
});

const nodesOf = (names: readonly string[], { node }: ExtenderServices): readonly core.Node[] =>
  names.map(node).filter((one) => one !== undefined);

/** What extenders say about nodes. */
interface Filtered {
  readonly passed: readonly string[];
  /** Why they reject nodes, by name. */
  readonly reasons: ReadonlyMap<string, ForeignReason>;
}

/** Asks the extenders one after the other, each about the nodes that its predecessors left. */
async function filterNodes({ whole, extenders, services }: Question, names: readonly string[]): Promise<Filtered> {
  let passed = names;
  const reasons = new Map<string, ForeignReason>();
  for (const extender of extenders) {
    if (extender.settings.filterVerb === "" || passed.length === 0) continue;
    try {
      const answer = await askFilter(asked(extender, services), whole, nodesOf(passed, services));
      const note = (name: string, text: string, evictionHelps: boolean): void =>
        void reasons.set(name, { text, evictionHelps, by: extender.name });
      for (const [name, text] of answer.failed) note(name, text, true);
      for (const [name, text] of answer.unresolvable) note(name, text, false);
      passed = answer.passed;
    } catch (error) {
      skipOrThrow(extender, error, services);
    }
  }
  return { passed, reasons };
}

function skipOrThrow({ settings, name }: DecidingExtender, error: unknown, services: ExtenderServices): void {
  services.signal.throwIfAborted();
  if (!settings.ignorable) throw error;
  services.logger.warn("Ignoring an extender that failed", { extender: name, error: messageOf(error) });
}

/** Adds the scores of all extenders, which are asked at the same time. One that fails gives none. */
async function addScores({ whole, extenders, services }: Question, totals: Map<string, number>): Promise<void> {
  const scoring = extenders.filter(({ settings }) => settings.prioritizeVerb !== "");
  const nodes = nodesOf([...totals.keys()], services);
  const answers = await Promise.all(
    scoring.map((extender) =>
      askScores(asked(extender, services), whole, nodes).catch((error: unknown) => {
        services.signal.throwIfAborted();
        services.logger.warn("An extender returned no scores", { extender: extender.name, error: messageOf(error) });
        return new Map<string, number>();
      }),
    ),
  );
  for (const answer of answers)
    for (const [name, score] of answer) {
      const total = totals.get(name);
      if (total !== undefined) totals.set(name, total + score);
    }
}

/** Runs the post-filters, with extenders that choose among the candidates of a preemption. */
async function failed(question: Question, refusal: Refusal): Promise<() => Decision> {
  const { pod, nodes, profile, cycle, services } = question;
  const { nominatedNode, nominations, meter } = cycle;
  const { isolated = (work) => work() } = services;
  const failure = { pod, nominatedNode, nominations, nodes, profile, refusal };
  const narrow = (candidates: readonly Candidate[]) => chooseVictims(question, candidates);
  const plugins = nodes.size === 0 ? [] : profile.postFilters;
  const verdicts = await runWaitingPostFilters(plugins, meter, (plugin) =>
    isolated(async () => plugin.postFilterWith?.(failure, narrow) ?? plugin.postFilter(failure)),
  );
  services.signal.throwIfAborted();
  return () => withPostFilters(refusal, verdicts);
}

async function chooseVictims(
  { whole, nodes, extenders, services }: Question,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  let left = candidates;
  for (const extender of extenders) {
    if (extender.settings.preemptVerb === "" || left.length === 0) continue;
    try {
      left = await askVictims(asked(extender, services), whole, left, (node) => nodes.podsOn(node));
    } catch (error) {
      skipOrThrow(extender, error, services);
    }
  }
  return left;
}
