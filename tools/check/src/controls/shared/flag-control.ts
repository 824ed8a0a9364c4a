import { type Control, judged, unknown } from "../../control.ts";
import type { DaemonName, Evidence, Flags } from "../../evidence/evidence.ts";

type Texts = Pick<Control, "number" | "formerNumber" | "title" | "remedy" | "severity">;

/** A finding about a daemon whose command line cannot be seen. */
export const flagsUnseen = (daemon: DaemonName) =>
  unknown(`the flags of ${daemon} cannot be seen; want --data, or --process ${daemon}=PID on its host`);

/** A flag as it is shown: with its value, or that its default counts. */
const shown = (flags: Flags, name: string, absent: string): string => {
  const value = flags.get(name);
  if (value !== undefined) return `--${name}=${value}`;
  return absent === "" ? `--${name} is not set` : `--${name}=${absent} (default)`;
};

/** A control about the value of one flag. */
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
  /** Evidence to judge by if the command line cannot be seen. */
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

/** A control that asks for all of some flags to be set. */
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

/** Conditions of {@link flagControl}. */
export const is =
  (...wanted: readonly string[]) =>
  (value: string): boolean =>
    wanted.includes(value);
export const isSet = (value: string): boolean => value !== "";
export const isUnset = (value: string): boolean => value === "";
export const atLeast =
  (least: number) =>
  (value: string): boolean =>
    Number(value) >= least;
export const includes =
  (entry: string) =>
  (value: string): boolean =>
    value.split(",").includes(entry);
