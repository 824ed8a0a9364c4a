/**
 * The settings of a daemon: flags and the file of `--config` → one document → its schema → settings. Flags and files
 * are brought into one form before validation, so that each rule exists once, and errors name the flag or the place in
 * the file that gave the value.
 *
 * @example
 * ```ts
 * import { readConfiguration } from "@orchernetes/component/configuration";
 * import { orchletConfigurationSchema } from "@orchernetes/config";
 *
 * const configuration = await readConfiguration({
 *   table: {},
 *   flags: {},
 *   explicit: new Set(),
 *   file: "/etc/orchlet.yaml",
 *   head: { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration" },
 *   schema: async () => orchletConfigurationSchema,
 * });
 * if (configuration.parsed === undefined) throw new Error(configuration.errors.join("; "));
 * ```
 *
 * @module
 */
import type { parseConfig } from "@orchernetes/config";
import { overlay } from "@orchernetes/config/overlay";
import { errorsByFlag } from "../flags/field-errors.ts";
import type { FlagTable } from "../flags/flag.ts";
import type { NamedFile } from "../named-files.ts";
import { type FlagFields, fieldValue, flagFieldsOf } from "./flag-fields.ts";

type Schema = Parameters<typeof parseConfig>[1];

/** The sources of a daemon's settings. */
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
  /** Loads the schema. Called only if it is needed, as it costs memory and start-up time. */
  readonly schema: () => Promise<S>;
  /**
   * The result of the schema for `head`. If it is given, flags alone need no schema: their table has validated them, so
   * each must have the type and the limits of its field.
   */
  readonly defaults?: object;
  /**
   * Names of the flags whose defaults apply if there is no file; for the others, the default of the field does.
   * @default all flags
   */
  readonly ownDefaults?: ReadonlySet<string>;
}

/** The settings, with their sources. */
export interface Configuration<T> {
  /** Undefined after an error. */
  readonly parsed: T | undefined;
  /** One line for each error: the source of the value, the value, and what would have been accepted. */
  readonly errors: readonly string[];
  /** Whether the file, or a flag on the command line, sets a field, by dotted path. */
  isGiven(field: string): boolean;
  /** The source of a field's value, for errors: a flag, or a place in the file. */
  origin(field: string): string;
  /**
   * Lines of further checks, each of which begins with `field <path>`, with the source of the field's value in front.
   * If the file cannot be read, its fields are unknown, so only lines about flags remain.
   */
  attributed(lines: readonly string[]): readonly string[];
  /**
   * The given value of a field, by dotted path, not validated; undefined if there is none. Available after an error,
   * too.
   */
  value(field: string): unknown;
  /** Like {@link Configuration.value}; "" for values that are no texts. */
  text(field: string): string;
  /** The file that a field names. */
  namedFile(field: string): NamedFile;
  /** A warning for each of these fields that the file sets. Flags without effect have separate warnings. */
  idleWarnings(fields: readonly string[]): readonly string[];
}

/**
 * Combines flags and the file of `--config`. Flags on the command line override the file. Without a file, all flags
 * with their defaults make the document. Errors of both are collected; if the file cannot be read, that is reported
 * beside the errors of flags.
 */
export async function readConfiguration<S extends Schema>(
  source: ConfigurationSource<S>,
): Promise<Configuration<ReturnType<typeof parseConfig<S>>>> {
  type Parsed = ReturnType<typeof parseConfig<S>>;
  const { table, flags, file, head, defaults } = source;
  if (file === "" && defaults !== undefined) {
    const fields = flagFieldsOf(source, "None");
    const merged = overlay(defaults, new Map([...fields].map(([field, flag]) => [field, flags[flag]])));
    // The table has validated what the schema would; a test compares their limits.
    return new GivenConfiguration<Parsed>(source, { merged, fields, parsed: merged as Parsed });
  }
  // Loaded only if needed.
  const {
    ConfigFileError,
    parseConfig: parse,
    readConfigDocument,
  } = await import("@orchernetes/config/load-config-file");
  const schema = await source.schema();
  const errorsOf = (error: unknown): readonly string[] => {
    if (error instanceof ConfigFileError) return error.errors;
    throw error;
  };
  const name = sourceName(file);
  let document: unknown = head;
  let lost: readonly string[] | undefined;
  try {
    if (file !== "") document = await readConfigDocument(file, name);
  } catch (error) {
    lost = errorsOf(error);
  }
  const fields = flagFieldsOf(source, file === "" ? "None" : lost === undefined ? "Read" : "Lost");
  const given = new Map(
    [...fields].flatMap(([field, flag]) =>
      flags[flag] === undefined ? [] : [[field, fieldValue(table[flag], flags[flag])] as const],
    ),
  );
  // A document that is not a mapping is an error, regardless of the flags.
  const merged = isObject(document) ? overlay(document, given) : document;
  const settings = { document, merged, fields, ...(lost && { lost }) };
  try {
    return new GivenConfiguration<Parsed>(source, { ...settings, parsed: parse(merged, schema, name) });
  } catch (error) {
    return new GivenConfiguration<Parsed>(source, { ...settings, invalid: errorsOf(error) });
  }
}

/** What was read. */
interface Given<T> {
  /** The file's document; undefined without a schema. */
  readonly document?: unknown;
  /** With flags laid over it. */
  readonly merged: unknown;
  readonly fields: FlagFields;
  readonly parsed?: T;
  /** Errors of the document. */
  readonly invalid?: readonly string[];
  /** Why the file could not be read. */
  readonly lost?: readonly string[];
}

class GivenConfiguration<T> implements Configuration<T> {
  readonly parsed: T | undefined;
  readonly errors: readonly string[];
  readonly #source: Pick<ConfigurationSource<Schema>, "explicit" | "file">;
  readonly #given: Given<T>;
  readonly #name: string;

  constructor(source: Pick<ConfigurationSource<Schema>, "explicit" | "file">, given: Given<T>) {
    this.#source = source;
    this.#given = given;
    this.#name = sourceName(source.file);
    this.parsed = given.lost === undefined ? given.parsed : undefined;
    this.errors = [...(given.lost ?? []), ...this.attributed(given.invalid ?? [])];
  }

  isGiven(field: string): boolean {
    const flag = this.#given.fields.get(field);
    return (flag !== undefined && this.#source.explicit.has(flag)) || this.#isInFile(field);
  }

  origin(field: string): string {
    const flag = this.#given.fields.get(field);
    return flag === undefined ? `${this.#name}, field ${field}` : `--${flag}`;
  }

  attributed(lines: readonly string[]): readonly string[] {
    const { fields, lost } = this.#given;
    const located = lines.map((line) => (line.startsWith("field ") ? `${this.#name}, ${line}` : line));
    const all = errorsByFlag(located, this.#name, fields);
    return lost === undefined ? all : all.filter((line) => line.startsWith("--") && !line.startsWith(this.#name));
  }

  value(field: string): unknown {
    return valueAt(this.#given.merged, field);
  }

  text(field: string): string {
    const value = this.value(field);
    return typeof value === "string" ? value : "";
  }

  // A property, so that it can be passed on alone.
  readonly namedFile = (field: string): NamedFile => ({ from: this.origin(field), path: this.text(field) });

  idleWarnings(fields: readonly string[]): readonly string[] {
    if (this.#given.lost !== undefined) return [];
    return fields
      .filter((field) => this.#isInFile(field))
      .map((field) => `${this.#name}, field ${field} has no effect`);
  }

  #isInFile(field: string): boolean {
    // A field that is null has its default.
    return this.#source.file !== "" && (valueAt(this.#given.document, field) ?? undefined) !== undefined;
  }
}

const sourceName = (file: string): string => (file === "" ? "flags" : `--config: file "${file}"`);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const valueAt = (document: unknown, field: string): unknown =>
  field
    .split(".")
    .reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), document);
