import type { LockType } from "../locks/create-lock.ts";

/** The settings of an election, from flags or a configuration file. Times are in milliseconds. */
export interface ElectionSettings {
  /** Kind of object that holds the lock. */
  readonly lock: LockType;
  readonly namespace: string;
  /** Name of the object, in `namespace`. */
  readonly name: string;
  /** The three times, which must satisfy `electionErrors`. */
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** The section `leaderElection` of configuration files after defaulting; times are in milliseconds. */
export interface ElectionSection {
  readonly leaderElect: boolean;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  readonly resourceLock: LockType;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

/** Returns the settings of a section; undefined when leader election is off. */
export function electionOf(section: ElectionSection): ElectionSettings | undefined {
  if (!section.leaderElect) return undefined;
  return {
    lock: section.resourceLock,
    namespace: section.resourceNamespace,
    name: section.resourceName,
    leaseDurationMs: section.leaseDuration,
    renewDeadlineMs: section.renewDeadline,
    retryPeriodMs: section.retryPeriod,
  };
}
