import { formatDuration } from "@orchernetes/apimachinery";
import { jitter } from "../leader-elector.ts";

/** The flags of an election that are times, in milliseconds. */
export interface ElectionTimeFlags {
  readonly "leader-elect-lease-duration": number;
  readonly "leader-elect-renew-deadline": number;
  readonly "leader-elect-retry-period": number;
}

/** The errors of election times that were set by flags: one line each, with the flags and the accepted values. */
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
 * The errors of a configuration. Where only flags set the election times, their errors are those of {@link electionFlagFaults},
 * so that they name flags and not fields of a file that does not exist.
 *
 * @param faults the errors of the configuration
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
