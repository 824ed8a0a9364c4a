import { type Control, judged, unknown } from "../../control.ts";
import type { DaemonName, Evidence, Flags } from "../../evidence/evidence.ts";

type Texts = Pick<Control, "number" | "formerNumber" | "title" | "remedy" | "severity">;

/** The finding if the command line of a daemon cannot be seen. */
export const flagsUnseen = (daemon: DaemonName) =>
  unknown(`the flags of ${daemon} cannot be seen; want --data, or --process ${daemon}=PID on its host`);

/** Formats a flag with its value, or with its default. */
const shown = (flags: Flags, name: string, absent: string): string => {
  const value = flags.get(name);
  if (value !== undefined) return `--${name}=${value}`;
  return absent === "" ? `--${name} is not set` : `--${name}=${absent} (default)`;
};

/** Creates a control of the value of one flag. */
export function flagControl({
  daemon,
  flag,
  absent = "",
  accept,
  otherwise,
  ...texts
}: Texts & {
  readonly daemon: DaemonName;
  readonly flag: string;
  /** The flag's default. */
  readonly absent?: string;
  readonly accept: (value: string) => boolean;
  /** Judges other evidence if the command line cannot be seen. @default the finding is "unknown" */
  readonly otherwise?: (evidence: Evidence) => ReturnType<Control["judge"]>;
}): Control {
  return {
    ...texts,
    judge(evidence) {
      const facts = evidence.daemons[daemon];
      if (facts === undefined) return otherwise?.(evidence) ?? flagsUnseen(daemon);
      const { flags, source } = facts;
      return judged(accept(flags.get(flag) ?? absent), shown(flags, flag, absent), source);
    },
  };
}

/** Creates a control that requires all of these flags to be set. */
export function flagsSetControl({
  daemon,
  flags: names,
  ...texts
}: Texts & { readonly daemon: DaemonName; readonly flags: readonly string[] }): Control {
  return {
    ...texts,
    judge({ daemons }) {
      const facts = daemons[daemon];
      if (facts === undefined) return flagsUnseen(daemon);
      const isSet = names.every((name) => (facts.flags.get(name) ?? "") !== "");
      return judged(isSet, names.map((name) => shown(facts.flags, name, "")).join(", "), facts.source);
    },
  };
}

/** A condition of {@link flagControl}: the value is one of these. */
export const is =
  (...wanted: readonly string[]) =>
  (value: string): boolean =>
    wanted.includes(value);
/** The flag is set. */
export const isSet = (value: string): boolean => value !== "";
/** The flag is not set. */
export const isUnset = (value: string): boolean => value === "";
/** The value is a number that is not less than this one. */
export const atLeast =
  (least: number) =>
  (value: string): boolean =>
    Number(value) >= least;
/** The value is a list with this entry. */
export const includes =
  (entry: string) =>
  (value: string): boolean =>
    value.split(",").includes(entry);
