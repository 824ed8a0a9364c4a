import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { NamedFiles } from "@orchernetes/component";
import type { AuditPolicyConfiguration } from "@orchernetes/config";
import type { Flags } from "../flags/index.ts";
import type { BatchOptions } from "./batch-sink.ts";

/** `--audit-log-mode` and `--audit-webhook-mode`: how the events of a backend are delivered. */
type DeliveryMode =
  | ({ readonly type: "batch" } & BatchOptions)
  | { readonly type: "blocking"; readonly strict: boolean };

/** Settings of both backends. */
interface BackendSettings {
  readonly mode: DeliveryMode;
  /** Size in bytes above which an event is truncated; undefined: never. */
  readonly maxEventBytes: number | undefined;
}

/** Settings of the log: the flags `--audit-log-*`. */
export interface LogSettings extends BackendSettings {
  /** `-` is standard output. */
  readonly path: string;
  readonly format: "json" | "legacy";
  readonly maxBytes: number;
  readonly maxBackups: number;
  readonly maxAgeDays: number;
  readonly compress: boolean;
}

/** Settings of the webhook: the flags `--audit-webhook-*`. */
interface WebhookSettings extends BackendSettings {
  /** Client configuration that names the webhook. */
  readonly configFile: string;
  /** Time before the first retry, in milliseconds. */
  readonly initialBackoffMs: number;
}

/** What is recorded, and in which backends. */
export interface AuditSettings {
  readonly policy: AuditPolicyConfiguration;
  readonly log: LogSettings | undefined;
  readonly webhook: WebhookSettings | undefined;
}

const megabyte = 1024 * 1024;
/** Default of `--audit-webhook-initial-backoff`. */
const defaultBackoffMs = 10_000;
/** Size if `--audit-log-maxsize` is 0, as in lumberjack. */
const defaultMaxSizeMegabytes = 100;

/** The two families of flags. */
type Prefix = "audit-log" | "audit-webhook";
type AddError = (flag: string, text: string) => void;

/**
 * Converts the flags to settings; undefined if nothing is to be recorded. Flags of a mode that is not used are not checked, as in
 * upstream.
 *
 * @param addError reports an error of a flag
 */
export function auditSettings(
  flags: Flags,
  policy: AuditPolicyConfiguration | undefined,
  addError: AddError,
): AuditSettings | undefined {
  const path = flags["audit-log-path"];
  const configFile = flags["audit-webhook-config-file"];
  const log: LogSettings | undefined =
    path === ""
      ? undefined
      : {
          ...backendSettings(flags, "audit-log", addError),
          path,
          format: flags["audit-log-format"] === "legacy" ? "legacy" : "json",
          maxBytes: (flags["audit-log-maxsize"] || defaultMaxSizeMegabytes) * megabyte,
          maxBackups: flags["audit-log-maxbackup"],
          maxAgeDays: flags["audit-log-maxage"],
          compress: flags["audit-log-compress"],
        };
  const webhook: WebhookSettings | undefined =
    configFile === ""
      ? undefined
      : {
          ...backendSettings(flags, "audit-webhook", addError),
          configFile,
          initialBackoffMs: initialBackoffMs(flags),
        };
  if (policy === undefined || (log === undefined && webhook === undefined)) return undefined;
  return { policy, log, webhook };
}

/** The deprecated flag `--audit-webhook-batch-initial-backoff` counts as long as the other one has its default. */
function initialBackoffMs(flags: Flags): number {
  const current = flags["audit-webhook-initial-backoff"];
  return current === defaultBackoffMs ? flags["audit-webhook-batch-initial-backoff"] : current;
}

/** Checks that the log is a file that this process can create or write. Errors are added to those of `files`. */
export async function checkAuditLog(flags: Flags, files: NamedFiles): Promise<void> {
  const path = flags["audit-log-path"];
  if (path === "" || path === "-") return;
  await files.writableDirectory({ from: "--audit-log-path", path: dirname(path) });
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true)
    files.errors.push(
      `--audit-log-path: ${JSON.stringify(path)} is a directory; want a file, or - for standard output`,
    );
}

/** Returns warnings about flags that are valid but probably a mistake. */
export function auditWarnings(flags: Flags, document: AuditPolicyConfiguration | undefined): readonly string[] {
  const policy = flags["audit-policy-file"] !== "";
  const backends = (["audit-log-path", "audit-webhook-config-file"] as const).filter((name) => flags[name] !== "");
  if (!policy && backends.length > 0)
    return [`Nothing is recorded: --${backends[0]} is given without --audit-policy-file`];
  if (policy && backends.length === 0)
    return [
      "Nothing is recorded: --audit-policy-file is given without --audit-log-path and --audit-webhook-config-file",
    ];
  const strict = (["audit-log", "audit-webhook"] as const).filter(
    (prefix) => flags[backendFlag[prefix]] !== "" && flags[flagNames[prefix].mode] === "blocking-strict",
  );
  const omits = ({ omitStages }: Pick<AuditPolicyConfiguration, "omitStages">) =>
    omitStages.includes("RequestReceived");
  const rules = document?.rules.filter(({ level }) => level !== "None") ?? [];
  if (document === undefined || !(omits(document) || rules.some(omits))) return [];
  return strict.map(
    (prefix) =>
      `--${prefix}-mode=blocking-strict rejects no request for which the policy omits stage RequestReceived: the record of that stage decides`,
  );
}

/** The flag that enables each backend. */
const backendFlag = { "audit-log": "audit-log-path", "audit-webhook": "audit-webhook-config-file" } as const;

/** The flags that both backends have, by what follows `audit-log-` and `audit-webhook-`. */
const flagNames = {
  "audit-log": {
    mode: "audit-log-mode",
    "batch-buffer-size": "audit-log-batch-buffer-size",
    "batch-max-size": "audit-log-batch-max-size",
    "batch-max-wait": "audit-log-batch-max-wait",
    "batch-throttle-enable": "audit-log-batch-throttle-enable",
    "batch-throttle-qps": "audit-log-batch-throttle-qps",
    "batch-throttle-burst": "audit-log-batch-throttle-burst",
    "truncate-enabled": "audit-log-truncate-enabled",
    "truncate-max-batch-size": "audit-log-truncate-max-batch-size",
    "truncate-max-event-size": "audit-log-truncate-max-event-size",
  },
  "audit-webhook": {
    mode: "audit-webhook-mode",
    "batch-buffer-size": "audit-webhook-batch-buffer-size",
    "batch-max-size": "audit-webhook-batch-max-size",
    "batch-max-wait": "audit-webhook-batch-max-wait",
    "batch-throttle-enable": "audit-webhook-batch-throttle-enable",
    "batch-throttle-qps": "audit-webhook-batch-throttle-qps",
    "batch-throttle-burst": "audit-webhook-batch-throttle-burst",
    "truncate-enabled": "audit-webhook-truncate-enabled",
    "truncate-max-batch-size": "audit-webhook-truncate-max-batch-size",
    "truncate-max-event-size": "audit-webhook-truncate-max-event-size",
  },
} as const;

/** Returns the settings that both backends have, and checks that batches are not smaller than events. */
function backendSettings(flags: Flags, prefix: Prefix, addError: AddError): BackendSettings {
  const names = flagNames[prefix];
  const truncates = flags[names["truncate-enabled"]];
  const maxEventBytes = flags[names["truncate-max-event-size"]];
  const maxBatchBytes = flags[names["truncate-max-batch-size"]];
  if (truncates && maxBatchBytes < maxEventBytes)
    addError(
      `${prefix}-truncate-max-batch-size`,
      `found ${maxBatchBytes}; it must be at least --${prefix}-truncate-max-event-size, which is ${maxEventBytes}`,
    );
  const mode = flags[names.mode];
  return {
    maxEventBytes: truncates ? maxEventBytes : undefined,
    mode:
      mode === "batch"
        ? { type: "batch", ...batchOptions(flags, prefix, addError), maxBytes: truncates ? maxBatchBytes : undefined }
        : { type: "blocking", strict: mode === "blocking-strict" },
  };
}

/** Returns the settings of batches. Sizes and rates must be positive, or nothing would ever be sent. */
function batchOptions(flags: Flags, prefix: Prefix, addError: AddError): Omit<BatchOptions, "maxBytes"> {
  const names = flagNames[prefix];
  const positive = (suffix: "buffer-size" | "max-size" | "throttle-qps" | "throttle-burst"): number => {
    const name = names[`batch-${suffix}`];
    const value = flags[name];
    if (!(value > 0)) addError(name, `found ${value}; with --${prefix}-mode=batch it must be more than 0`);
    return value;
  };
  return {
    bufferSize: positive("buffer-size"),
    maxSize: positive("max-size"),
    maxWaitMs: flags[names["batch-max-wait"]],
    throttle: flags[names["batch-throttle-enable"]]
      ? { qps: positive("throttle-qps"), burst: positive("throttle-burst") }
      : undefined,
  };
}
