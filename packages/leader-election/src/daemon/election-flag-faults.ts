import { formatDuration } from "@orchernetes/apimachinery";
import { jitter } from "../leader-elector.ts";

/** The flags of an election that are times, in milliseconds. */
export interface ElectionTimeFlags {
  readonly "leader-elect-lease-duration": number;
  readonly "leader-elect-renew-deadline": number;
  readonly "leader-elect-retry-period": number;
}

/** What is wrong with the times of an election as flags give them: a line each that names the flags and what would do. */
export function electionFlagFaults(flags: ElectionTimeFlags): readonly string[] {
  const lease = flags["leader-elect-lease-duration"];
  const deadline = flags["leader-elect-renew-deadline"];
  const retry = flags["leader-elect-retry-period"];
  const fault = (name: keyof ElectionTimeFlags, want: string) =>
    `invalid value "${formatDuration(flags[name])}" for flag --${name}: want ${want}`;
  const other = (name: keyof ElectionTimeFlags) => `--${name}, which is ${formatDuration(flags[name])}`;
  return [
    ...(lease > deadline
      ? []
      : [fault("leader-elect-lease-duration", `more than ${other("leader-elect-renew-deadline")}`)]),
    ...(deadline > retry * jitter
      ? []
      : [fault("leader-elect-renew-deadline", `more than ${jitter} times ${other("leader-elect-retry-period")}`)]),
    ...(retry > 0 ? [] : [fault("leader-elect-retry-period", "more than 0s")]),
    ...(lease >= 1000 ? [] : [fault("leader-elect-lease-duration", "at least 1s")]),
  ];
}

/**
 * Errors of a configuration, with those of election times in the words of {@link electionFlagFaults} where flags alone give
 * the times: both sides of a rule are then flags, and named.
 *
 * @param faults those of the configuration
 */
export function withElectionFaults(
  flags: ElectionTimeFlags & { readonly config: string; readonly "leader-elect": boolean },
  faults: readonly string[],
): readonly string[] {
  const times = flags.config === "" && flags["leader-elect"] ? electionFlagFaults(flags) : [];
  const isTold = (fault: string): boolean =>
    times.length > 0 && /^--leader-elect-(lease-duration|renew-deadline|retry-period):/.test(fault);
  return [...times, ...faults.filter((fault) => !isTold(fault))];
}
