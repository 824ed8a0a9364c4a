import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { DecidingExtender } from "../extender/ask-extender.ts";
import { decideWithExtenders, type ExtenderServices } from "../extender/decide-with-extenders.ts";
import type { ExtenderExchange } from "../extender/exchange.ts";
import type { Cycle, Decision } from "../framework/decide.ts";
import type { Profile } from "../framework/profile.ts";
import type { ExtenderExplanation, ExtenderQuestion, PluginRefusal } from "./explanation.ts";

/** A decision for which extenders were asked. */
export interface ExtenderDecision {
  /** All that are configured. */
  readonly extenders: readonly DecidingExtender[];
  readonly exchanges: readonly ExtenderExchange[];
  /** Makes the decision on the current state. Undefined: none of the extenders takes part, and plugins decide. @throws Error if an extender failed */
  readonly decide: (() => Decision) | undefined;
}

/** A decision that cannot be made. */
export const failedDecision =
  (error: unknown): (() => Decision) =>
  () => {
    throw error;
  };

/**
 * Makes the decision about a pod as the scheduler does, without its effects, and records what extenders answer. It never rejects:
 * an error is thrown by `decide`.
 */
export async function decideAndRecord(
  pod: PodInfo,
  nodes: NodeTable,
  profile: Profile,
  cycle: Cycle,
  services: ExtenderServices,
): Promise<ExtenderDecision> {
  const { extenders } = services;
  const exchanges: ExtenderExchange[] = [];
  if (!extenders.some((extender) => extender.isInterested(pod))) return { extenders, exchanges, decide: undefined };
  const record = (exchange: ExtenderExchange): void => void exchanges.push(exchange);
  const decide = await decideWithExtenders(pod, nodes, profile, cycle, { ...services, record }).catch(failedDecision);
  return { extenders, exchanges, decide };
}

function questionOf({ verb, asked, answer }: ExtenderExchange, ignorable: boolean): ExtenderQuestion {
  const head = { verb, asked: asked.length };
  switch (answer.type) {
    case "nodes":
      return { ...head, result: { type: "accepted", nodes: answer.passed.length } };
    case "scores":
      return { ...head, result: { type: "scored", nodes: answer.scores.length } };
    case "candidates":
      return { ...head, result: { type: "accepted", nodes: answer.candidates.length } };
    case "error":
      return {
        ...head,
        result: { type: "error", message: answer.message, isSkipped: ignorable || verb === "prioritize" },
      };
    default:
      return answer satisfies never;
  }
}

/** What each extender was asked. */
export const extenderExplanations = (
  pod: PodInfo,
  { extenders, exchanges }: ExtenderDecision,
): readonly ExtenderExplanation[] =>
  extenders.map((extender, place) => {
    const { name, settings } = extender;
    const { ignorable } = settings;
    const own = exchanges.filter((exchange) => exchange.extender === place);
    return {
      extender: name,
      ignorable,
      isInterested: extender.isInterested(pod),
      questions: own.map((exchange) => questionOf(exchange, ignorable)),
    };
  });

/** The refusals by extenders, by the name of the node. */
export function extenderRefusals({ extenders, exchanges }: ExtenderDecision): ReadonlyMap<string, PluginRefusal> {
  const refusals = new Map<string, PluginRefusal>();
  for (const { extender, asked, answer } of exchanges) {
    if (answer.type !== "nodes") continue;
    const plugin = extenders[extender]?.name ?? "";
    const refuse = (node: string, reason: string, evictionHelps: boolean): void =>
      void refusals.set(node, { plugin, reasons: [reason], evictionHelps, shortfalls: [] });
    const passed = new Set(answer.passed);
    const [failed, unresolvable] = [new Map(answer.failed), new Map(answer.unresolvable)];
    for (const node of asked) {
      if (passed.has(node)) continue;
      const reason = unresolvable.get(node) ?? failed.get(node);
      refuse(node, reason || "not among the nodes that it returned", failed.has(node) && !unresolvable.has(node));
    }
  }
  return refusals;
}
