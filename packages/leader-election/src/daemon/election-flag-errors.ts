import { formatDuration } from "@orchernetes/apimachinery";
import { jitter } from "../leader-elector.ts";

/** The flags of an election that are times, in milliseconds. */
interface ElectionTimeFlags {
  readonly "leader-elect-lease-duration": number;
  readonly "leader-elect-renew-deadline": number;
  readonly "leader-elect-retry-period": number;
}

/** The errors of election times that were set by flags: one line each, with the flags and the accepted values. */
function electionFlagErrors(flags: ElectionTimeFlags): readonly string[] {
  const lease = flags["leader-elect-lease-duration"];
  const deadline = flags["leader-elect-renew-deadline"];
  const retry = flags["leader-elect-retry-period"];
  const error = (name: keyof ElectionTimeFlags, want: string) =>
    `invalid value "${formatDuration(flags[name])}" for flag --${name}: want ${want}`;
  const other = (name: keyof ElectionTimeFlags) => `--${name}, which is ${formatDuration(flags[name])}`;
  return [
    ...(lease > deadline
      ? []
      : [error("leader-elect-lease-duration", `more than ${other("leader-elect-renew-deadline")}`)]),
    ...(deadline > retry * jitter
      ? []
      : [error("leader-elect-renew-deadline", `more than ${jitter} times ${other("leader-elect-retry-period")}`)]),
    ...(retry > 0 ? [] : [error("leader-elect-retry-period", "more than 0s")]),
    ...(lease >= 1000 ? [] : [error("leader-elect-lease-duration", "at least 1s")]),
  ];
}

/**
 * The errors of a configuration. Where only flags set the election times, their errors are those of {@link electionFlagErrors},
 * so that they name flags and not fields of a file that does not exist.
 *
 * @param errors the errors of the configuration
 */
export function withElectionErrors(
  flags: ElectionTimeFlags & { readonly config: string; readonly "leader-elect": boolean },
  errors: readonly string[],
): readonly string[] {
  // With a configuration file, the errors are in its fields and not in the flags.
  const times = flags.config === "" && flags["leader-elect"] ? electionFlagErrors(flags) : [];
  const isReported = (error: string): boolean =>
    times.length > 0 && /^--leader-elect-(lease-duration|renew-deadline|retry-period):/.test(error);
  return [...times, ...errors.filter((error) => !isReported(error))];
}
