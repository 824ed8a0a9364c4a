import type { FlagTable } from "@orchernetes/component";
import { formatDuration } from "@orchernetes/config/duration";
import { flagFields } from "./flag-fields.ts";

/** A value in the form the configuration file has it. */
export type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

/** Flags whose values have another form in the file. */
const conversions: Readonly<Record<string, (value: never) => Plain>> = {
  "manifest-url-header": (items: readonly string[]) => {
    const headers = new Map<string, string[]>();
    for (const pair of items.flatMap((item) => item.split(","))) {
      const [name = "", value = ""] = cut(pair, ":");
      headers.set(name.trim(), [...(headers.get(name.trim()) ?? []), value.trim()]);
    }
    return Object.fromEntries(headers);
  },
  "register-with-taints": (items: readonly string[]) =>
    items.map((item) => {
      const [pair = "", effect = ""] = cut(item, ":");
      const [key = "", value] = cut(pair, "=");
      return { key, effect, ...(value === undefined ? {} : { value }) };
    }),
  "eviction-hard": thresholdMap,
  "eviction-soft": thresholdMap,
  "reserved-memory": (items: readonly string[]) =>
    items
      .flatMap((item) => item.split(/,(?=\d+:)/))
      .map((item) => {
        const [numa = "", limits = ""] = cut(item, ":");
        return {
          numaNode: Number(numa),
          limits: Object.fromEntries(limits.split(",").map((pair) => cut(pair, "="))) as Plain,
        };
      }),
  "shutdown-grace-period-by-pod-priority": (map: ReadonlyMap<string, string>) =>
    [...map].map(([priority, seconds]) => ({
      priority: Number(priority),
      shutdownGracePeriodSeconds: Number(seconds),
    })),
  tracing: (map: ReadonlyMap<string, string>) =>
    Object.fromEntries([...map].map(([key, text]) => [key, key === "samplingRatePerMillion" ? Number(text) : text])),
  "log-flush-frequency": (ms: number) => formatDuration(ms),
  vmodule: (items: readonly string[]) =>
    items.map((item) => {
      const [filePattern = "", verbosity = ""] = cut(item, "=");
      return { filePattern, verbosity: Number(verbosity) };
    }),
};

/** Flags whose default is not that of their field; without a configuration file theirs counts. */
const ownDefaults = new Set(["anonymous-auth", "authentication-token-webhook", "authorization-mode", "read-only-port"]);

/**
 * The settings that flags make, in the form of the configuration file: dotted field path and value. These are the flags on the
 * command line and, without a configuration file, the few whose default differs from that of their field.
 *
 * @param table `orchletFlags`
 * @param parsed its parsed values, and which were on the command line
 * @param hasFile whether `--config` names a file
 */
export function flagConfiguration(
  table: FlagTable,
  parsed: { readonly flags: Readonly<Record<string, unknown>>; readonly explicit: ReadonlySet<string> },
  hasFile: boolean,
): ReadonlyMap<string, Plain> {
  const settings = new Map<string, Plain>();
  for (const [flag, field] of Object.entries(flagFields)) {
    const value = parsed.flags[flag];
    const counts = parsed.explicit.has(flag) || (!hasFile && ownDefaults.has(flag));
    if (value !== undefined && counts) settings.set(field, convert(flag, table[flag]?.type, value));
  }
  return settings;
}

function convert(flag: string, type: FlagTable[string]["type"] | undefined, value: unknown): Plain {
  const conversion = conversions[flag];
  if (conversion !== undefined) return conversion(value as never);
  if (value instanceof Map) return Object.fromEntries(value) as Plain;
  if (type === "duration" && typeof value === "number") return formatDuration(value);
  return value as Plain;
}

function thresholdMap(items: readonly string[]): Plain {
  return Object.fromEntries(items.map((item) => cut(item, "<"))) as Plain;
}

function cut(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
