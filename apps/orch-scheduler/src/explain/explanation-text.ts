import { assertNever } from "@orchernetes/kernel";
import type { Shortfall } from "../framework/shortfall.ts";
import type {
  ExtenderExplanation,
  ExtenderQuestion,
  NodeGroup,
  NodesExplanation,
  NodeVerdict,
  PodExplanation,
  PodState,
  PreemptionExplanation,
  WakeEvent,
} from "./explanation.ts";

/** `1 node`, `3 nodes`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const seconds = (value: number): string => {
  const whole = Math.max(0, Math.round(value));
  if (whole < 120) return `${whole}s`;
  return whole < 7200 ? `${Math.floor(whole / 60)}m${whole % 60}s` : `${Math.floor(whole / 3600)}h`;
};

const places = {
  active: "waiting to be tried",
  backoff: "waiting for the end of its back-off",
  unschedulable: "waiting for an event that may help",
  gated: "held back",
  inFlight: "being bound",
} as const;

function stateText(state: PodState): string {
  switch (state.type) {
    case "queued": {
      const { place, attempts, waitingSeconds, retryInSeconds } = state;
      const retry = retryInSeconds === undefined ? "" : `, retried in ${seconds(retryInSeconds)}`;
      return `${places[place]}, after ${counted(attempts, "attempt")} in ${seconds(waitingSeconds)}${retry}`;
    }
    case "gated":
      return `held back until its scheduling gates are removed: ${state.gates.join(", ")}`;
    case "bound":
      return `bound to node ${state.node}`;
    case "terminating":
      return "being deleted, so it is not scheduled";
    case "foreign":
      return `ignored, because no profile of this scheduler is named ${JSON.stringify(state.schedulerName)}`;
    case "assumed":
      return state.heldBy === undefined
        ? `being bound to node ${state.node}`
        : `node ${state.node} was chosen; held by Permit plugins: ${state.heldBy.join(", ")}`;
    case "unqueued":
      return "not in the queue yet";
    default:
      return assertNever(state);
  }
}

const shortfallText = ({ what, needed, available, missing }: Shortfall): string =>
  `${what}: needs ${needed}${available === "" ? "" : `, has ${available}`}${missing === undefined ? "" : `, lacks ${missing}`}`;

function* verdictLines({ node, refusals, keptFor }: NodeVerdict): Iterable<string> {
  yield `  ${node}`;
  for (const { plugin, reasons, shortfalls } of refusals)
    for (const text of shortfalls.length === 0 ? reasons : shortfalls.map(shortfallText))
      yield `    ${plugin}: ${text}`;
  if (keptFor.length > 0) yield `    kept free for nominated pods: ${keptFor.join(", ")}`;
}

function* groupLines({ count, refusals, passed, nodes }: NodeGroup): Iterable<string> {
  if (refusals.length === 0) {
    yield `${counted(count, "node")} that fit:`;
    yield `  ${nodes.map(({ node }) => node).join(", ")}${nodes.length < count ? ", …" : ""}`;
    return;
  }
  const why = refusals.map(({ plugin, reasons }) => `${plugin} (${reasons.join("; ")})`).join(", ");
  yield `${counted(count, "node")} rejected by ${why}; accepted by ${passed.join(", ") || "no plugin"}:`;
  for (const verdict of nodes) yield* verdictLines(verdict);
  if (nodes.length < count) yield `  … and ${counted(count - nodes.length, "node")} more`;
}

function* nodeLines({ feasible, groups, omitted, nearest, total }: NodesExplanation): Iterable<string> {
  if (feasible === 0 && nearest.length > 0) {
    yield "";
    yield "Closest:";
    for (const verdict of nearest) yield* verdictLines(verdict);
  }
  yield "";
  yield `Nodes: ${total} (${feasible} feasible)`;
  for (const group of groups) yield* groupLines(group);
  if (omitted.groups > 0) yield `${counted(omitted.nodes, "node")} in ${counted(omitted.groups, "group")} omitted`;
}

function questionText({ verb, asked, result }: ExtenderQuestion): string {
  const about = `${verb}, asked about ${counted(asked, "node")}`;
  switch (result.type) {
    case "accepted":
      return `${about}: accepts ${result.nodes}`;
    case "scored":
      return `${about}: returns ${counted(result.nodes, "score")}`;
    case "error":
      return `${about}: ${result.message}; ${result.isSkipped ? "the decision is made without it" : "the attempt fails"}`;
    default:
      return assertNever(result);
  }
}

function* extenderLines(extenders: readonly ExtenderExplanation[]): Iterable<string> {
  yield "";
  yield "Extenders:";
  for (const { extender, ignorable, isInterested, questions } of extenders) {
    yield `  ${extender}${ignorable ? " (ignorable)" : ""}`;
    if (!isInterested) yield "    not asked: the pod requests none of its resources";
    else if (questions.length === 0) yield "    not asked";
    for (const question of questions) yield `    ${questionText(question)}`;
  }
}

const preemptionText = (one: PreemptionExplanation): string =>
  one.type === "nominate"
    ? `${one.plugin}: evicts ${counted(one.victims.length, "pod")} from node ${one.node}: ${one.victims.join(", ")}`
    : `${one.plugin}: ${one.message}`;

const wakeText = ({ text, plugins }: WakeEvent): string => `  when ${text} (${plugins.join(", ")})`;

function* lines(explanation: PodExplanation): Iterable<string> {
  const { pod, state, lastAttempt, holds = [], decision, error, leftOut = [] } = explanation;
  const { rejections = [], nodes, extenders = [], preemption = [], wakes = [] } = explanation;
  yield `Pod ${pod.namespace}/${pod.name} (scheduler ${pod.schedulerName}, priority ${pod.priority})`;
  yield `State: ${stateText(state)}`;
  if (lastAttempt !== undefined) {
    const since = lastAttempt.since === undefined ? "" : ` since ${lastAttempt.since}`;
    yield `Last attempt: ${lastAttempt.reason}${since}: ${lastAttempt.message}`;
    if (lastAttempt.nominatedNode !== undefined) yield `Nominated node: ${lastAttempt.nominatedNode}`;
  }
  for (const { plugin, message } of holds) yield `Kept out of the queue by ${plugin}: ${message}`;
  if (decision?.type === "node") {
    const { node, feasible, evaluated } = decision;
    yield `Now: node ${node}, the best of ${feasible} feasible nodes (${evaluated} examined)`;
  } else if (decision !== undefined) yield `Now: ${decision.message}`;
  if (error !== undefined) yield `The decision failed: ${error}`;
  if (leftOut.length > 0) yield `Without: ${leftOut.join(", ")}`;
  for (const { plugin, message } of rejections) yield `Rejected by ${plugin} for all nodes: ${message}`;
  if (nodes !== undefined) yield* nodeLines(nodes);
  if (extenders.length > 0) yield* extenderLines(extenders);
  if (preemption.length > 0) {
    yield "";
    yield "Preemption:";
    for (const one of preemption) yield `  ${preemptionText(one)}`;
  }
  if (decision?.type === "unschedulable") {
    yield "";
    yield "The scheduler tries again:";
    for (const one of wakes) yield wakeText(one);
    yield "  in any case after --pod-max-in-unschedulable-pods-duration (5 minutes by default)";
  }
}

/**
 * A line for a terminal. Messages of extenders and plugins, and those in statuses, can contain anything: characters that control a
 * terminal, end a line or change its direction are written as escapes.
 */
export const printableLine = (line: string): string =>
  line.replace(
    /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** An explanation as text for people; every line ends with a line feed. */
export const explanationText = (explanation: PodExplanation): string =>
  [...lines(explanation)].map((line) => `${printableLine(line)}\n`).join("");
