export { checkHistory } from "./check-history.ts";
export { type Fault, faultsOf } from "./faults.ts";
export type {
  History,
  Operation,
  Outcome,
  Request,
  Seen,
  StoredVersion,
  WatchRecord,
  WatchSession,
} from "./history.ts";
export { type RoundOptions, type RoundResult, runRound } from "./run-round.ts";
