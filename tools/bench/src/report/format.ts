import type { Measure } from "../row.ts";

/** Renders a figure with its unit, as precisely as is useful. */
export function formatValue(value: number, unit: Measure["unit"]): string {
  const digits = unit === "s" ? (value < 1 ? 3 : 1) : value < 100 && unit !== "MB" ? 1 : 0;
  return `${value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** Renders the goal, or a dash. */
export function formatGoal({ atLeast, atMost, unit }: Measure): string {
  const plain = (value: number): string => `${value.toLocaleString("en")} ${unit}`;
  if (atLeast !== undefined) return `≥ ${plain(atLeast)}`;
  return atMost === undefined ? "—" : `≤ ${plain(atMost)}`;
}

/** Whether a figure meets its goal; undefined if there is none. */
export function meetsGoal({ atLeast, atMost }: Measure, value: number): boolean | undefined {
  if (atLeast !== undefined) return value >= atLeast;
  return atMost === undefined ? undefined : value <= atMost;
}

/** Compares a figure with its goal and with upstream. */
export function verdict(measure: Measure, value: number): string {
  const met = meetsGoal(measure, value);
  if (met === undefined) return "";
  if (met) return "goal met";
  const { atMost, upstream } = measure;
  if (upstream === undefined) return "behind the goal";
  const ahead = atMost === undefined ? value >= upstream.best : value <= upstream.best;
  return ahead ? "ahead of upstream" : "behind upstream";
}
