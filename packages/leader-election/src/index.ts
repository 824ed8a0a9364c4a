/**
 * Leader election: one of several replicas of a daemon works, and the others wait to take over.
 *
 * {@link createLock} creates the lock: a Lease, or a Lease together with Endpoints or a ConfigMap. {@link createLeaderElector}
 * creates a participant. The leader renews the record in the lock every retry period (2 s by default). A participant that has seen
 * no renewal for the lease duration (15 s) takes over. A leader that cannot renew it within the renew deadline (10 s) stops
 * before that, so that two never lead at once. {@link lockClientOf} makes both use a client of the API server.
 * {@link runElectedDaemon} runs a whole daemon with an election: it serves, follows the API and works while it leads; with a
 * {@link LeaderMigration} it has a second election for a part of its work.
 *
 * @example
 * ```ts
 * import { randomUUID } from "node:crypto";
 * import { hostname } from "node:os";
 * import type { Client } from "@orchernetes/client";
 * import type { Logger } from "@orchernetes/kernel";
 * import { createLeaderElector, createLock, lockClientOf } from "@orchernetes/leader-election";
 *
 * async function runAsLeader(client: Client, logger: Logger, work: (signal: AbortSignal) => Promise<void>) {
 *   const elector = createLeaderElector({
 *     lock: createLock("leases", lockClientOf(client), "orch-system", "my-controller"),
 *     identity: `${hostname()}_${randomUUID()}`,
 *     callbacks: { onStartedLeading: work },
 *     logger,
 *   });
 *   const outcome = await elector.run(AbortSignal.timeout(3_600_000));
 *   if (outcome === "lost") process.exitCode = 1; // another replica may lead already
 * }
 * ```
 *
 * @module
 */

export type { ControllerLock } from "./daemon/controller-locks.ts";
export { withElectionErrors } from "./daemon/election-flag-errors.ts";
export { type ElectionSection, type ElectionSettings, electionOf } from "./daemon/election-settings.ts";
export { type DaemonClients, readClients } from "./daemon/read-clients.ts";
export { type LeaderMigration, readMigration } from "./daemon/read-migration.ts";
export {
  type DaemonParts,
  type DaemonWork,
  type ElectedDaemonOptions,
  runElectedDaemon,
} from "./daemon/run-elected-daemon.ts";
export {
  createLeaderElector,
  electionErrors,
  type HeldLease,
  type LeaderCallbacks,
  type LeaderElector,
  type LeaderElectorOptions,
} from "./leader-elector.ts";
export { type LockClient, lockClientOf } from "./lock-client.ts";
export { leaderAnnotation } from "./locks/annotation-lock.ts";
export { createLock, type LockType, lockTypes } from "./locks/create-lock.ts";
export { type ElectionRecord, unknownLeader } from "./locks/election-record.ts";
export type { ObservedRecord, ResourceLock } from "./locks/resource-lock.ts";
