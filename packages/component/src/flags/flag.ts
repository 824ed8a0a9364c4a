import type { FlagValue, ValueByType } from "./values.ts";

interface FlagCommon {
  /** What the flag does, in full sentences; the type and the default are added by the help page. */
  readonly help: string;
  /** One letter for the short form, such as `v`. */
  readonly short?: string;
  /** Text that says what to use instead. The flag still works, and logs a warning when it is set. */
  readonly deprecated?: string;
  /** The help page does not show the flag. */
  readonly hidden?: true;
  /** The complete line for an error of {@link FlagOf.validate}, where upstream's text is known. */
  readonly refusal?: string;
  /**
   * `"none"`: accepted and validated, but without effect; setting it logs a warning. `"always"`: the behaviour is
   * always on, as its help says.
   */
  readonly effect?: "none" | "always";
  /** Field of the daemon's configuration document that the flag sets, by dotted path, if any. */
  readonly field?: string;
  /** `"without-file"`: the flag sets its field only if there is no file of `--config`, and is ignored otherwise. */
  readonly fieldApplies?: "without-file";
}

type Defaults = {
  readonly [T in keyof ValueByType]: T extends "duration"
    ? string
    : T extends "stringToString"
      ? Readonly<Record<string, string>>
      : ValueByType[T];
};

/** One row of a flag table of a given value type. */
export interface FlagOf<T extends keyof ValueByType> extends FlagCommon {
  readonly type: T;
  /** Value when the flag is not given; durations in their text form. Without a default the value is `undefined`. */
  readonly default?: Defaults[T];
  /** Accepted values of a string, or of every element of a list. */
  readonly oneOf?: readonly string[];
  /** The smallest accepted number, in the unit of the value (milliseconds for durations). */
  readonly min?: number;
  /** The largest accepted number. */
  readonly max?: number;
  /** Value when the flag is given without one (`--flag`), as its text. */
  readonly bare?: string;
  /** A further check; returns what would have been accepted if the value is invalid. */
  readonly validate?: (value: ValueByType[T]) => string | undefined;
  /**
   * Converts the value to the form of the document. @default durations become texts, maps become objects, others stay
   */
  readonly toField?: (value: ValueByType[T]) => unknown;
}

/** One row of a flag table: a flag's type, default and help. */
export type Flag = { readonly [T in keyof ValueByType]: FlagOf<T> }[keyof ValueByType];

/** Flags by their name without dashes in front, such as `secure-port`. */
export type FlagTable = Readonly<Record<string, Flag & { readonly group: string }>>;

/** The parsed values of a table, by flag name; `undefined` only for flags without a default. */
export type FlagValues<T extends FlagTable> = {
  readonly [K in keyof T]: T[K] extends { readonly default: unknown }
    ? FlagValue<T[K]["type"]>
    : FlagValue<T[K]["type"]> | undefined;
};

/** A table whose rows belong to one section of the help page. */
export type FlagSection<T extends Readonly<Record<string, Flag>>> = {
  readonly [K in keyof T]: T[K] & { readonly group: string };
};

/**
 * Names the section of the help page that the given flags belong to. Tables are put together by spreading sections.
 *
 * @example
 * ```ts
 * const flags = {
 *   ...flagSection("Secure serving", { "secure-port": { type: "int", default: 6443, min: 1, max: 65535, help: "HTTPS port." } }),
 *   ...flagSection("Misc", { "event-ttl": { type: "duration", default: "1h0m0s", help: "How long events are kept." } }),
 * };
 * ```
 */
export function flagSection<const T extends Readonly<Record<string, Flag>>>(group: string, flags: T): FlagSection<T> {
  const entries = Object.entries(flags).map(([name, flag]) => [name, { ...flag, group }]);
  return Object.fromEntries(entries) as FlagSection<T>;
}

/** Fields of the configuration document whose flags have no effect. */
export function fieldsWithoutEffectOf(table: FlagTable): readonly string[] {
  return Object.values(table).flatMap(({ field, effect }) => (field !== undefined && effect === "none" ? [field] : []));
}
