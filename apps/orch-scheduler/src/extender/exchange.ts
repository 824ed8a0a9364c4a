/** What a decision asks an extender. */
export type ExtenderVerb = "filter" | "prioritize" | "preempt";

/** What an extender answered. Names and reasons are as it sent them. */
export type ExtenderAnswer =
  | {
      readonly type: "nodes";
      readonly passed: readonly string[];
      /** Name and reason. */
      readonly failed: readonly (readonly [node: string, reason: string])[];
      /** Those where preemption does not help. */
      readonly unresolvable: readonly (readonly [node: string, reason: string])[];
    }
  | { readonly type: "scores"; readonly scores: readonly (readonly [node: string, score: number])[] }
  | {
      readonly type: "candidates";
      /** Those that remain, with the uids of the victims that the extender chose. */
      readonly candidates: readonly {
        readonly node: string;
        readonly victims: readonly string[];
        readonly violations: number;
      }[];
    }
  /** There is no answer, or it is not valid. */
  | { readonly type: "error"; readonly message: string };

/** A question to an extender, and its answer. */
export interface ExtenderExchange {
  /** Place of the extender in the configuration, from 0. */
  readonly extender: number;
  readonly verb: ExtenderVerb;
  /** Names of the nodes that it was asked about. */
  readonly asked: readonly string[];
  readonly answer: ExtenderAnswer;
}

/** The answers of extenders in an attempt to schedule a pod, with what else the decision depended on. */
export interface ExtenderAttempt {
  /** `namespace/name`. */
  readonly pod: string;
  readonly uid: string;
  /** RFC 3339. */
  readonly time: string;
  /** Where the search began. */
  readonly start: number;
  /** State of the random numbers before the attempt. */
  readonly seed: number;
  /** In the order of the answers. */
  readonly exchanges: readonly ExtenderExchange[];
}
