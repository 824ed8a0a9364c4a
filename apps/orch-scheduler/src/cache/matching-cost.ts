import type { Selector } from "@orchernetes/apimachinery";
import type { NodeTable } from "./node-table.ts";

/**
 * Most steps that the terms or constraints of one pod may have. Pods have some tens; one that has many thousands, as a pod of a
 * megabyte can, would occupy the scheduler for minutes, and with it all other pods.
 */
const MAX_STEPS = 5_000;
/** Most steps that preparing one decision may take, over all kinds of pods and all nodes: about a second's worth. */
const MAX_TOTAL = 50_000_000;

/** The steps of one comparison with a selector: its requirements and their values. */
export const selectorSteps = ({ requirements }: Selector): number =>
  requirements.reduce((sum, { values }) => sum + 1 + values.length, 1);

/** Whether as many steps are too many to be made for every kind of pods and every node. */
export const isTooMuch = (steps: number, { length, podKinds }: Pick<NodeTable, "length" | "podKinds">): boolean =>
  isTooLong(steps) || steps * (length + podKinds) > MAX_TOTAL;

/** Whether as many steps are too many for a pod in any cluster. */
export const isTooLong = (steps: number): boolean => steps > MAX_STEPS;

/** Whether as many steps are too many to be made for every node. */
export const isTooMuchPerNode = (steps: number, { length }: Pick<NodeTable, "length">): boolean =>
  steps * length > MAX_TOTAL;

/** The sum of the steps of terms or constraints. */
export const sumOfSteps = (terms: readonly { readonly steps: number }[]): number => {
  let sum = 0;
  for (const { steps } of terms) sum += steps;
  return sum;
};
