import { isActive } from "../facts/facts.ts";
import { type Change, describe, type PodChange, type Replay } from "../history/replay.ts";

/**
 * Looks at each change after it was applied, and returns what it contradicts. What a rule remembers is its own, so that every check
 * makes its rules anew.
 */
export type Rule = (change: Change, state: Replay) => readonly string[];

/** One finding about a change, or none. */
export const finding = (change: Change, text: string | undefined): readonly string[] =>
  text === undefined ? [] : [describe(change, text)];

/** Whether a pod was created. */
export const isCreated = ({ before, after }: PodChange): boolean => before === undefined && after !== undefined;

/** Whether a pod has ceased to count as one of its owner's. */
export const hasLeft = ({ before, after }: PodChange): boolean =>
  before !== undefined && isActive(before) && !(after !== undefined && isActive(after));

/**
 * Whether a pod that has left did so without its controller: it has ended, or the workload deleted it. A controller that does not know
 * yet may delete one more, so the rules about deletions allow for these pods.
 */
export const leftByItself = ({ pod }: PodChange): boolean =>
  pod.disrupted || pod.phase === "Succeeded" || pod.phase === "Failed";

/** The largest number; -Infinity of none. */
export const largest = (numbers: readonly number[]): number => Math.max(...numbers);

/** The smallest number; Infinity of none. */
export const smallest = (numbers: readonly number[]): number => Math.min(...numbers);
