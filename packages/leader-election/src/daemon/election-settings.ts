import type { LockType } from "../locks/create-lock.ts";

/** An election as flags or a configuration file ask for it. */
export interface ElectionSettings {
  readonly lock: LockType;
  readonly namespace: string;
  readonly name: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** An election as the section `leaderElection` of configuration files has it, defaults filled in; times in milliseconds. */
export interface ElectionSection {
  readonly leaderElect: boolean;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  readonly resourceLock: LockType;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

/** The election of a section; undefined when it is off. */
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
