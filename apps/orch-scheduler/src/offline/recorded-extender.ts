import type { core } from "@orchernetes/api";
import type { PodInfo } from "../cache/pod-info.ts";
import type { DecidingExtender } from "../extender/ask-extender.ts";
import type { ExtenderAnswer, ExtenderAttempt, ExtenderVerb } from "../extender/exchange.ts";
import { concerns, type FilterAnswer } from "../extender/extender.ts";
import type { Candidate } from "../framework/candidate.ts";
import type { SnapshotExtender } from "../snapshot/snapshot.ts";

type AnswerOf<T extends ExtenderAnswer["type"]> = Extract<ExtenderAnswer, { readonly type: T }>;

/**
 * Answers as an extender did in a recorded attempt. Nodes that it was not asked about then are refused, with that reason: the
 * cluster has changed between the attempt and the snapshot.
 */
export class RecordedExtender implements DecidingExtender {
  readonly settings: SnapshotExtender;
  readonly #place: number;
  readonly #attempt: ExtenderAttempt | undefined;
  /** Number of answers that were returned, by verb. */
  readonly #used = new Map<ExtenderVerb, number>();

  /** @param place of the extender in the configuration @param attempt undefined: none was recorded for the pod */
  constructor(settings: SnapshotExtender, place: number, attempt: ExtenderAttempt | undefined) {
    this.settings = settings;
    this.#place = place;
    this.#attempt = attempt;
  }

  get name(): string {
    return this.settings.urlPrefix;
  }

  isInterested({ pod }: PodInfo): boolean {
    return concerns(this.settings, pod);
  }

  async filter(_: PodInfo, nodes: readonly core.Node[]): Promise<FilterAnswer> {
    const { asked, answer } = this.#recorded("filter", "nodes");
    const known = new Set(asked);
    const names = new Set(nodes.map(({ metadata }) => metadata.name ?? ""));
    const unasked = [...names].filter((name) => !known.has(name)).map((name) => [name, "not asked then"] as const);
    return {
      // Ties depend on the order.
      passed: answer.passed.filter((name) => names.has(name)),
      failed: new Map(answer.failed),
      unresolvable: new Map([...answer.unresolvable, ...unasked]),
    };
  }

  async prioritize(): Promise<ReadonlyMap<string, number>> {
    return new Map(this.#recorded("prioritize", "scores").answer.scores);
  }

  async preempt(
    _: PodInfo,
    candidates: readonly Candidate[],
    podsOn: (node: string) => readonly PodInfo[],
  ): Promise<readonly Candidate[]> {
    const { answer } = this.#recorded("preempt", "candidates");
    return answer.candidates.flatMap(({ node, victims, violations }): readonly Candidate[] => {
      const candidate = candidates.find((one) => one.node === node);
      if (candidate === undefined) return [];
      const pods = podsOn(node);
      const chosen = victims.flatMap((victim) => pods.find(({ uid }) => uid === victim) ?? []);
      return chosen.length === victims.length ? [{ ...candidate, victims: chosen, violations }] : [];
    });
  }

  /** Of several answers to a verb, each is returned once, in their order: the first may be about the nominated node alone. */
  #recorded<T extends ExtenderAnswer["type"]>(
    verb: ExtenderVerb,
    type: T,
  ): { readonly asked: readonly string[]; readonly answer: AnswerOf<T> } {
    const answers = this.#attempt?.exchanges.filter((one) => one.extender === this.#place && one.verb === verb) ?? [];
    const used = this.#used.get(verb) ?? 0;
    this.#used.set(verb, used + 1);
    const found = answers[used] ?? answers.at(-1);
    if (found?.answer.type === "error") throw new Error(found.answer.message);
    if (found?.answer.type !== type) throw new Error(`the snapshot has no answer of ${this.name} to ${verb}`);
    return { asked: found.asked, answer: found.answer as AnswerOf<T> };
  }
}
