import { formatDuration } from "@orchernetes/config/duration";
import type { Flag, FlagTable } from "../flags/flag.ts";

/** The flag that sets each field, by the field's dotted path. */
export type FlagFields = ReadonlyMap<string, string>;

/** The state of the file of `--config`: `Lost` if it cannot be read. */
export type FileState = "None" | "Read" | "Lost";

/**
 * Determines which flag sets each field of the document. If there is a file, only flags on the command line do.
 * Otherwise all flags do, by their defaults; of several flags for one field, the first on the command line, otherwise
 * the first. Pure.
 *
 * @param source `ownDefaults` are the flags whose defaults apply, @default all
 */
export function flagFieldsOf(
  source: {
    readonly table: FlagTable;
    readonly explicit: ReadonlySet<string>;
    readonly ownDefaults?: ReadonlySet<string>;
  },
  file: FileState,
): FlagFields {
  const { table, explicit, ownDefaults } = source;
  const fields = new Map<string, string>();
  for (const [flag, { field, fieldApplies }] of Object.entries(table)) {
    if (field === undefined) continue;
    const isExplicit = explicit.has(flag);
    if (file === "Read" && fieldApplies === "without-file") continue;
    if (!isExplicit && (file !== "None" || ownDefaults?.has(flag) === false)) continue;
    const other = fields.get(field);
    if (other === undefined || (isExplicit && !explicit.has(other))) fields.set(field, flag);
  }
  return fields;
}

/** The value of a flag in the form of the document: durations are texts, maps are objects. */
export function fieldValue(flag: Flag | undefined, value: unknown): unknown {
  if (flag?.toField !== undefined) return flag.toField(value as never);
  if (flag?.type === "duration" && typeof value === "number") return formatDuration(value);
  return value instanceof Map ? Object.fromEntries(value) : value;
}
