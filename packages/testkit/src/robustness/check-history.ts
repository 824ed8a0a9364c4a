import { checkOperations } from "./check-operations.ts";
import { checkRecord } from "./check-record.ts";
import { checkWatches } from "./check-watches.ts";
import type { History } from "./history.ts";
import { Versions } from "./versions.ts";

/**
 * Returns what in a history contradicts a linearizable store with complete and ordered watches; empty if it is
 * consistent.
 */
export function checkHistory(history: History): readonly string[] {
  const versions = new Versions(history);
  return [
    ...versions.contradictions,
    ...checkOperations(history, versions),
    ...checkWatches(history, versions),
    ...checkRecord(history),
  ];
}
