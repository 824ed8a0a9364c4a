import { checkOperations } from "./check-operations.ts";
import { checkRecord } from "./check-record.ts";
import { checkWatches } from "./check-watches.ts";
import type { History } from "./history.ts";
import { Versions } from "./versions.ts";

/** What in a history contradicts a linearizable store with truthful watches; nothing if all is well. */
export function checkHistory(history: History): readonly string[] {
  const versions = new Versions(history);
  return [
    ...versions.faults,
    ...checkOperations(history, versions),
    ...checkWatches(history, versions),
    ...checkRecord(history),
  ];
}
