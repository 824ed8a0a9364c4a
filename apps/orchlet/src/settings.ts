import { quantityOf } from "@orchernetes/apimachinery";
import { errorsByFlag, metricFlags } from "@orchernetes/component";
import {
  ConfigFileError,
  type OrchletConfiguration,
  orchletConfigurationSchema,
  overlay,
  parseConfig,
  readConfigDocument,
} from "@orchernetes/config";
import { grpcTarget } from "@orchernetes/cri";
import { sysctlPatternError } from "./admission/sysctls.ts";
import type { Plain } from "./flags/flag-configuration.ts";
import { flagFields } from "./flags/flag-fields.ts";
import { swapDevices } from "./node/machine-info.ts";
import { thresholdErrors } from "./node/threshold-errors.ts";

const emptyDocument = { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration" };

/** The settings of file and flags, as they are given and as they are understood. */
export interface Settings {
  /** Undefined after an error. */
  readonly parsed: OrchletConfiguration | undefined;
  /** The names of the fields that are given. */
  readonly fields: ReadonlySet<string>;
  /** The value given for a field, by dotted path, unchecked; undefined when none is. */
  value(field: string): unknown;
  /** Like {@link Settings.value}; empty for what is no text. */
  text(field: string): string;
  /** What is said about gates, as far as it has the right form. */
  featureGates(): ReadonlyMap<string, boolean>;
  /** What gave the field its value, for errors: a flag, or a place in the file. */
  origin(field: string): string;
  /** Names what gave its value to the field of each line that begins with `field`. */
  tell(errors: readonly string[]): readonly string[];
  /** One line each. */
  readonly errors: readonly string[];
}

/**
 * Lays the settings of flags over the file.
 *
 * @param file path of the file; empty: there is none
 * @param given what flags set, by dotted field path
 */
export async function readSettings(
  file: string,
  given: ReadonlyMap<string, Plain>,
  swaps: readonly string[] = swapDevices(),
): Promise<Settings> {
  const source = file === "" ? "flags" : `--config: file "${file}"`;
  const flagOf = new Map(
    Object.entries(flagFields).flatMap(([flag, field]) => (given.has(field) ? [[field, flag] as const] : [])),
  );
  const errors: string[] = [];
  let document: unknown = emptyDocument;
  let lost = false;
  try {
    if (file !== "") document = await readConfigDocument(file, source);
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    errors.push(...error.errors);
    lost = true;
  }
  const tell = (lines: readonly string[]) =>
    errorsByFlag(
      lines.map((line) => (line.startsWith("field ") ? `${source}, ${line}` : line)),
      source,
      flagOf,
    );
  const merged = overlay(document, given);
  let parsed: OrchletConfiguration | undefined;
  const found: string[] = [];
  try {
    parsed = parseConfig(merged, orchletConfigurationSchema, source);
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    found.push(...error.errors);
  }
  const value = (field: string) => valueAt(merged, field);
  const told = tell([...found, ...settingErrors(value, swaps)]);
  // Of a file that cannot be read nothing is known, so only what flags say can be wrong.
  errors.push(...(lost ? told.filter((error) => error.startsWith("--") && !error.startsWith(source)) : told));
  return {
    parsed,
    fields: new Set([...(isObject(document) ? Object.keys(document) : []), ...given.keys()]),
    value,
    text: (field) => {
      const text = value(field);
      return typeof text === "string" ? text : "";
    },
    featureGates: () => {
      const gates = value("featureGates");
      const entries = isObject(gates) ? Object.entries(gates) : [];
      return new Map(entries.flatMap(([name, on]) => (typeof on === "boolean" ? [[name, on] as const] : [])));
    },
    origin: (field) => {
      const flag = flagOf.get(field);
      return flag === undefined ? `${source}, field ${field}` : `--${flag}`;
    },
    tell,
    errors,
  };
}

/** Errors in values that the schema takes as texts, each beginning with `field`. */
function settingErrors(value: (field: string) => unknown, swaps: readonly string[]): readonly string[] {
  const errors: string[] = [];
  const texts = (field: string): readonly (readonly [path: string, text: string])[] => {
    const given = value(field);
    const entries = isObject(given)
      ? Object.entries(given).map(([key, text]) => [`${field}.${key}`, text])
      : [[field, given]];
    return entries.flatMap(([path, text]) => (typeof text === "string" ? [[String(path), text] as const] : []));
  };
  const check = (path: string, text: string, want: string, works: () => unknown) => {
    try {
      works();
    } catch {
      errors.push(`field ${path}: invalid value ${JSON.stringify(text)}; want ${want}`);
    }
  };
  for (const [path, text] of texts("containerLogMaxSize"))
    check(path, text, "a quantity such as 500m or 1Gi", () => quantityOf(text));
  const map = (field: string) =>
    Object.fromEntries(texts(field).map(([path, text]) => [path.slice(field.length + 1), text]));
  errors.push(
    ...thresholdErrors({
      evictionHard: map("evictionHard"),
      evictionSoft: map("evictionSoft"),
      evictionSoftGracePeriod: map("evictionSoftGracePeriod"),
      evictionMinimumReclaim: map("evictionMinimumReclaim"),
      systemReserved: map("systemReserved"),
      orchReserved: map("orchReserved"),
    }),
  );
  const allowed = value("allowedUnsafeSysctls");
  for (const entry of Array.isArray(allowed) ? allowed : []) {
    const error = typeof entry === "string" ? sysctlPatternError(entry) : undefined;
    if (error !== undefined) errors.push(`field allowedUnsafeSysctls: ${error}`);
  }
  for (const field of ["containerRuntimeEndpoint", "imageServiceEndpoint"])
    for (const [path, text] of texts(field))
      if (text !== "")
        check(path, text, "a unix socket such as unix:///run/containerd/containerd.sock", () => grpcTarget(text));
  const { validate, refusal } = metricFlags["show-hidden-metrics-for-version"];
  const version = value("showHiddenMetricsForVersion");
  if (typeof version === "string" && validate(version) !== undefined)
    errors.push(`field showHiddenMetricsForVersion: ${refusal}`);
  if (value("failSwapOn") !== false && swaps.length > 0)
    errors.push(`field failSwapOn: swap is on (${swaps.join(", ")}); switch it off, or set failSwapOn to false`);
  return errors;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const valueAt = (document: unknown, field: string): unknown =>
  field
    .split(".")
    .reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), document);
