import type { Measure } from "../row.ts";

/** A figure with its unit, as precise as is useful. */
export function formatValue(value: number, unit: Measure["unit"]): string {
  const digits = unit === "s" ? (value < 1 ? 3 : 1) : value < 100 && unit !== "MB" ? 1 : 0;
  return `${value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** What is to be reached, or a dash. */
export function formatGoal({ atLeast, atMost, unit }: Measure): string {
  const plain = (value: number): string => `${value.toLocaleString("en")} ${unit}`;
  if (atLeast !== undefined) return `≥ ${plain(atLeast)}`;
  return atMost === undefined ? "—" : `≤ ${plain(atMost)}`;
}

/** How a figure stands. */
export function verdict({ atLeast, atMost, upstream }: Measure, value: number): string {
  if (atLeast === undefined && atMost === undefined) return "";
  const reaches = (bar: number): boolean => (atMost === undefined ? value >= bar : value <= bar);
  if (reaches(atLeast ?? atMost ?? 0)) return "goal met";
  if (upstream === undefined) return "behind the goal";
  return reaches(upstream.best) ? "ahead of upstream" : "behind upstream";
}
