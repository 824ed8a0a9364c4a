import { semanticEqual } from "./immutable.ts";

/**
 * The differences between two values, one per line: `-path: before`, `+path: after`. For people: paths are those of the
 * JSON, values are JSON. Error messages of immutable specs contain it, so that a user sees which field to restore.
 */
export function differences(before: unknown, after: unknown): string {
  const lines: string[] = [];
  collect(before, after, "", lines);
  return lines.join("\n");
}

function collect(before: unknown, after: unknown, path: string, lines: string[]): void {
  if (semanticEqual(before, after)) {
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i++) {
      collect(before[i], after[i], `${path}[${i}]`, lines);
    }
    return;
  }
  if (isStruct(before) && isStruct(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      collect(before[key], after[key], path === "" ? key : `${path}.${key}`, lines);
    }
    return;
  }
  if (before !== undefined && before !== null) {
    lines.push(`-${path}: ${JSON.stringify(before)}`);
  }
  if (after !== undefined && after !== null) {
    lines.push(`+${path}: ${JSON.stringify(after)}`);
  }
}

function isStruct(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
