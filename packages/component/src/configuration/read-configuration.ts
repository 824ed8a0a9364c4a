/**
 * The way of a daemon's settings: flags and the file of `--config` → one document → its schema → settings.
 *
 * @example
 * ```ts
 * const configuration = await readConfiguration({ table, flags, explicit, file: flags.config, head, schema });
 * if (configuration.parsed === undefined) throw new ConfigurationError(configuration.errors);
 * ```
 *
 * @module
 */
import type { parseConfig } from "@orchernetes/config";
import { formatDuration } from "@orchernetes/config/duration";
import { overlay } from "@orchernetes/config/overlay";
import { errorsByFlag } from "../flags/field-errors.ts";
import type { FlagTable } from "../flags/flag.ts";
import type { NamedFile } from "../named-files.ts";

type Schema = Parameters<typeof parseConfig>[1];

/** What a daemon's settings are made of. */
export interface ConfigurationSource<S extends Schema> {
  /** Rows with a `field` set that field of the document. */
  readonly table: FlagTable;
  /** The parsed flags. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Names of the flags that were on the command line. */
  readonly explicit: ReadonlySet<string>;
  /** Path of the file of `--config`; empty: there is none. */
  readonly file: string;
  /** The document without any settings. */
  readonly head: { readonly apiVersion: string; readonly kind: string };
  /** Loads the schema: it costs memory and start-up time. */
  readonly schema: () => Promise<S>;
  /**
   * What the schema makes of `head`. With it, flags alone need no schema: their table has checked them, and each must have the
   * type and the bounds of its field.
   */
  readonly defaults?: object;
}

/** Settings as they were given and as they are understood. */
export interface Configuration<T> {
  /** Undefined after an error. */
  readonly parsed: T | undefined;
  /** One line each: what gave the value, the value, what would be accepted. */
  readonly errors: readonly string[];
  /** Whether the file, or a flag on the command line, sets a field, by dotted path. */
  isGiven(field: string): boolean;
  /** What gave a field its value, for errors: a flag, or a place in the file. */
  origin(field: string): string;
  /** The value given for a field, by dotted path, unchecked; undefined when none is. Also there after an error. */
  value(field: string): unknown;
  /** Like {@link Configuration.value}; empty for what is no text. */
  text(field: string): string;
  /** The file that a field names. */
  namedFile(field: string): NamedFile;
  /** A warning for each of these fields that the file sets. Flags without effect have separate warnings. */
  idleWarnings(fields: readonly string[]): readonly string[];
}

/**
 * Lays flags over the file of `--config`: those on the command line win over it. Without a file all flags make the document,
 * with their defaults. Collects errors of both; of a file that cannot be read, that alone is reported.
 */
export async function readConfiguration<S extends Schema>(
  source: ConfigurationSource<S>,
): Promise<Configuration<ReturnType<typeof parseConfig<S>>>> {
  const { table, flags, explicit, file } = source;
  const name = file === "" ? "flags" : `--config: file "${file}"`;
  const rows = Object.entries(table).flatMap(([flag, { field }]) =>
    field !== undefined && (file === "" || explicit.has(flag)) ? [{ flag, field }] : [],
  );
  const flagOf = new Map(rows.map(({ flag, field }) => [field, flag]));
  const given = (of: (flag: string) => unknown) => new Map(rows.map(({ flag, field }) => [field, of(flag)]));
  let document: unknown = source.head;
  let isLost = false;
  let merged: unknown;
  let parsed: ReturnType<typeof parseConfig<S>> | undefined;
  const errors: string[] = [];
  if (file === "" && source.defaults !== undefined) {
    merged = overlay(
      source.defaults,
      given((flag) => flags[flag]),
    );
    // The table has checked what the schema would: a test compares their bounds.
    parsed = merged as ReturnType<typeof parseConfig<S>>;
  } else {
    // Loaded for those who need them.
    const { ConfigFileError, parseConfig: parse, readConfigDocument } = await import("@orchernetes/config");
    const schema = await source.schema();
    const isOurs = (error: unknown): error is InstanceType<typeof ConfigFileError> => error instanceof ConfigFileError;
    try {
      if (file !== "") document = await readConfigDocument(file, name);
    } catch (error) {
      if (!isOurs(error)) throw error;
      errors.push(...error.errors);
      isLost = true;
    }
    merged = overlay(
      document,
      given((flag) => documentValue(table[flag]?.type, flags[flag])),
    );
    try {
      parsed = parse(merged, schema, name);
    } catch (error) {
      if (!isOurs(error)) throw error;
      errors.push(...errorsByFlag(error.errors, name, flagOf));
    }
  }
  const origin = (field: string): string => {
    const flag = flagOf.get(field);
    return flag === undefined ? `${name}, field ${field}` : `--${flag}`;
  };
  const text = (field: string): string => {
    const value = valueAt(merged, field);
    return typeof value === "string" ? value : "";
  };
  return {
    parsed: isLost ? undefined : parsed,
    errors,
    origin,
    isGiven(field) {
      const flag = flagOf.get(field);
      return (flag !== undefined && explicit.has(flag)) || (file !== "" && valueAt(document, field) !== undefined);
    },
    value: (field) => valueAt(merged, field),
    text,
    namedFile: (field) => ({ from: origin(field), path: text(field) }),
    idleWarnings: (fields) =>
      file === "" || isLost
        ? []
        : fields
            .filter((field) => valueAt(document, field) !== undefined)
            .map((field) => `${name}, field ${field} has no effect`),
  };
}

/** The value of a flag as a document has it: durations are texts there. */
const documentValue = (type: string | undefined, value: unknown): unknown =>
  type === "duration" && typeof value === "number" ? formatDuration(value) : value;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const valueAt = (document: unknown, field: string): unknown =>
  field
    .split(".")
    .reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), document);
