import type { core } from "@orchernetes/api";
import { messageOf } from "@orchernetes/kernel";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Candidate } from "../framework/candidate.ts";
import type { ExtenderAnswer, ExtenderExchange, ExtenderVerb } from "./exchange.ts";
import type { Extender, FilterAnswer } from "./extender.ts";

/** What decisions need of an extender. */
export type DecidingExtender = Pick<
  Extender,
  "settings" | "name" | "isInterested" | "filter" | "prioritize" | "preempt"
>;

/** An extender whose answers are recorded. */
interface Recorded {
  readonly extender: DecidingExtender;
  /** Its place in the configuration. */
  readonly place: number;
  readonly record: ((exchange: ExtenderExchange) => void) | undefined;
  readonly signal: AbortSignal;
}

async function recorded<T>(
  { place, record }: Recorded,
  verb: ExtenderVerb,
  asked: readonly string[],
  question: Promise<T>,
  answerOf: (result: T) => ExtenderAnswer,
): Promise<T> {
  if (record === undefined) return question;
  const note = (answer: ExtenderAnswer): void => record({ extender: place, verb, asked, answer });
  try {
    const result = await question;
    note(answerOf(result));
    return result;
  } catch (error) {
    note({ type: "error", message: messageOf(error) });
    throw error;
  }
}

const namesOf = (nodes: readonly core.Node[]): readonly string[] => nodes.map(({ metadata }) => metadata.name ?? "");

/** Extender.filter, recorded. */
export const askFilter = (to: Recorded, info: PodInfo, nodes: readonly core.Node[]): Promise<FilterAnswer> =>
  recorded(to, "filter", namesOf(nodes), to.extender.filter(info, nodes, to.signal), (answer) => ({
    type: "nodes",
    passed: answer.passed,
    failed: [...answer.failed],
    unresolvable: [...answer.unresolvable],
  }));

/** Extender.prioritize, recorded. */
export const askScores = (
  to: Recorded,
  info: PodInfo,
  nodes: readonly core.Node[],
): Promise<ReadonlyMap<string, number>> =>
  recorded(to, "prioritize", namesOf(nodes), to.extender.prioritize(info, nodes, to.signal), (scores) => ({
    type: "scores",
    scores: [...scores],
  }));

/** Extender.preempt, recorded. */
export const askVictims = (
  to: Recorded,
  info: PodInfo,
  candidates: readonly Candidate[],
  podsOn: (node: string) => readonly PodInfo[],
): Promise<readonly Candidate[]> =>
  recorded(
    to,
    "preempt",
    candidates.map(({ node }) => node),
    to.extender.preempt(info, candidates, podsOn, to.signal),
    (left) => ({
      type: "candidates",
      candidates: left.map(({ node, victims, violations }) => ({
        node,
        victims: victims.map(({ uid }) => uid),
        violations,
      })),
    }),
  );
