/**
 * Leader election: of several copies of a daemon one works, the others wait.
 *
 * {@link createLock} names the object the election is held on (a Lease, or a Lease together with Endpoints or a ConfigMap);
 * {@link createLeaderElector} takes part in it. The leader renews its record every retry period; who sees no renewal for the lease
 * duration takes over; a leader that cannot renew until its deadline stops first. {@link lockClientOf} connects both to a client
 * of the API server. {@link runElectedDaemon} is the frame of the daemons that hold an election: serve, follow, work while leading.
 *
 * @module
 */

export { type ElectionTimeFlags, electionFlagFaults, withElectionFaults } from "./daemon/election-flag-faults.ts";
export { type ElectionSection, type ElectionSettings, electionOf } from "./daemon/election-settings.ts";
export {
  type DaemonParts,
  type DaemonWork,
  type ElectedDaemonOptions,
  runElectedDaemon,
} from "./daemon/run-elected-daemon.ts";
export {
  createLeaderElector,
  electionFaults,
  type LeaderCallbacks,
  type LeaderElector,
  type LeaderElectorOptions,
} from "./leader-elector.ts";
export { type LockClient, lockClientOf } from "./lock-client.ts";
export { leaderAnnotation } from "./locks/annotation-lock.ts";
export { createLock, type LockType, lockTypes } from "./locks/create-lock.ts";
export { type ElectionRecord, unknownLeader } from "./locks/election-record.ts";
export type { ObservedRecord, ResourceLock } from "./locks/resource-lock.ts";
