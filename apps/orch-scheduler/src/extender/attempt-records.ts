import type { PodInfo } from "../cache/pod-info.ts";
import type { ExtenderAnswer, ExtenderAttempt, ExtenderExchange } from "./exchange.ts";

/** Size of an attempt that is kept, and of all of them together, in characters. */
const MAX_ATTEMPT = 1024 * 1024;
const MAX_ALL = 8 * 1024 * 1024;

/** What is remembered beside the answers. */
export interface AttemptState {
  readonly now: () => Date;
  /** State of the random numbers. */
  readonly seed: () => number;
}

/** An attempt that has begun. */
export interface OpenAttempt {
  record(exchange: ExtenderExchange): void;
  /** Keeps the answers in place of those of the pod's earlier attempt. */
  keep(): void;
}

const lengthOf = (pairs: readonly (readonly [string, string | number])[]): number =>
  pairs.reduce((sum, [name, value]) => sum + name.length + (typeof value === "string" ? value.length : 8), 0);

function sizeOfAnswer(answer: ExtenderAnswer): number {
  switch (answer.type) {
    case "nodes":
      return answer.passed.join().length + lengthOf(answer.failed) + lengthOf(answer.unresolvable);
    case "scores":
      return lengthOf(answer.scores);
    case "candidates":
      return answer.candidates.reduce((sum, { node, victims }) => sum + node.length + victims.join().length, 0);
    case "error":
      return answer.message.length;
    default:
      return answer satisfies never;
  }
}

const sizeOf = (exchanges: readonly ExtenderExchange[]): number =>
  exchanges.reduce((sum, { asked, answer }) => sum + asked.join().length + sizeOfAnswer(answer), 0);

/**
 * What extenders answered in the last attempt of each pod, for snapshots: extenders cannot be asked again later. Answers of
 * more than 1 Mi characters for a pod are not kept, and of more than 8 Mi characters for all pods the oldest are dropped. That is also how answers about pods that are gone end.
 */
export class AttemptRecords {
  readonly #state: AttemptState;
  /** By key of the pod; the oldest first. */
  readonly #kept = new Map<string, { readonly attempt: ExtenderAttempt; readonly size: number }>();
  #size = 0;

  constructor(state: AttemptState) {
    this.#state = state;
  }

  /** All that are kept, the oldest first. */
  get all(): readonly ExtenderAttempt[] {
    return [...this.#kept.values()].map(({ attempt }) => attempt);
  }

  /** Begins an attempt. @param start where its search begins */
  begin({ key, uid }: PodInfo, start: number): OpenAttempt {
    const exchanges: ExtenderExchange[] = [];
    const time = this.#state.now().toISOString();
    const seed = this.#state.seed();
    return {
      record: (exchange) => void exchanges.push(exchange),
      keep: () => this.#keep({ pod: key, uid, time, start, seed, exchanges }),
    };
  }

  #keep(attempt: ExtenderAttempt): void {
    this.#drop(attempt.pod);
    const size = sizeOf(attempt.exchanges);
    if (size > MAX_ATTEMPT) return;
    this.#kept.set(attempt.pod, { attempt, size });
    this.#size += size;
    for (const key of this.#kept.keys()) {
      if (this.#size <= MAX_ALL) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}
