import { errorsByFlag } from "@orchernetes/component";
import { ConfigFileError, formatDuration, parseConfig, readConfigDocument } from "@orchernetes/config";
import { electionFlagErrors } from "@orchernetes/leader-election";
import type { Flags } from "../config.ts";
import { type SchedulerConfiguration, schedulerConfigurationSchema } from "./scheduler-configuration.ts";
import { pluginErrors } from "./select-plugins.ts";

const HEAD = { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" };

/** The file of `--config`; without one, what the deprecated flags say. @throws ConfigFileError */
async function readDocument(flags: Flags): Promise<{ document: Record<string, unknown>; source: string }> {
  if (flags.config === "") {
    const clientConnection = {
      orchconfig: flags.orchconfig,
      qps: flags["orch-api-qps"],
      burst: flags["orch-api-burst"],
      contentType: flags["orch-api-content-type"],
    };
    const enableProfiling = flags.profiling;
    const enableContentionProfiling = flags["contention-profiling"];
    return { document: { ...HEAD, clientConnection, enableProfiling, enableContentionProfiling }, source: "flags" };
  }
  const source = `--config: file "${flags.config}"`;
  const document = await readConfigDocument(flags.config, source);
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw new ConfigFileError([`${source}: want a mapping with apiVersion ${HEAD.apiVersion} and kind ${HEAD.kind}`]);
  return { document: document as Record<string, unknown>, source };
}

/** The field of section `leaderElection` that each flag sets. */
const ELECTION_FIELDS = [
  ["leader-elect", "leaderElect"],
  ["leader-elect-lease-duration", "leaseDuration"],
  ["leader-elect-renew-deadline", "renewDeadline"],
  ["leader-elect-retry-period", "retryPeriod"],
  ["leader-elect-resource-lock", "resourceLock"],
  ["leader-elect-resource-name", "resourceName"],
  ["leader-elect-resource-namespace", "resourceNamespace"],
] as const;

/** The fields that flags set without a file. */
const CLIENT_FIELDS = new Map([
  ["clientConnection.orchconfig", "orchconfig"],
  ["clientConnection.qps", "orch-api-qps"],
  ["clientConnection.burst", "orch-api-burst"],
  ["clientConnection.contentType", "orch-api-content-type"],
]);

/** The leader election flags, as far as they were given: they win over the file. */
function electionOverrides(flags: Flags, explicit: ReadonlySet<string>, always: boolean): Record<string, unknown> {
  const values: Readonly<Record<(typeof ELECTION_FIELDS)[number][0], unknown>> = {
    "leader-elect": flags["leader-elect"],
    "leader-elect-lease-duration": formatDuration(flags["leader-elect-lease-duration"]),
    "leader-elect-renew-deadline": formatDuration(flags["leader-elect-renew-deadline"]),
    "leader-elect-retry-period": formatDuration(flags["leader-elect-retry-period"]),
    "leader-elect-resource-lock": flags["leader-elect-resource-lock"],
    "leader-elect-resource-name": flags["leader-elect-resource-name"],
    "leader-elect-resource-namespace": flags["leader-elect-resource-namespace"],
  };
  const overrides = Object.fromEntries(
    ELECTION_FIELDS.filter(([flag]) => always || explicit.has(flag)).map(([flag, field]) => [field, values[flag]]),
  );
  // The old names count where the new ones are silent, and not beside a file.
  if (always && explicit.has("lock-object-name") && !explicit.has("leader-elect-resource-name"))
    overrides.resourceName = flags["lock-object-name"];
  if (always && explicit.has("lock-object-namespace") && !explicit.has("leader-elect-resource-namespace"))
    overrides.resourceNamespace = flags["lock-object-namespace"];
  return overrides;
}

/** Settings with what only their source shows. */
export interface LoadedSettings {
  readonly settings: SchedulerConfiguration;
  /**
   * Whether a rate limit was configured. The default one suits a cluster of many clients; binding as fast as decisions
   * fall, which the server's own priority and fairness bounds, needs none.
   */
  readonly limited: boolean;
  readonly warnings: readonly string[];
}

/** Fields of the file that are checked, but change nothing: decisions are made on one thread, requests are JSON. */
export const fieldsWithoutEffect: readonly string[] = [
  "parallelism",
  "enableProfiling",
  "enableContentionProfiling",
  "clientConnection.contentType",
  "clientConnection.acceptContentTypes",
];

const hasField = (value: unknown, [head = "", ...rest]: readonly string[]): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.hasOwn(value, head) &&
  (rest.length === 0 || hasField(Reflect.get(value, head), rest));

/**
 * The settings of the file of `--config`, or of the deprecated flags when there is none, with the leader election flags
 * over them.
 *
 * @param explicit names of the flags that were on the command line
 * @throws ConfigFileError with all errors at once
 */
export async function loadSettings(flags: Flags, explicit: ReadonlySet<string>): Promise<LoadedSettings> {
  const fromFile = flags.config !== "";
  const { document, source } = await readDocument(flags);
  const own = document.leaderElection;
  const overrides = electionOverrides(flags, explicit, flags.config === "");
  const leaderElection =
    typeof own === "object" && own !== null && !Array.isArray(own) ? { ...own, ...overrides } : overrides;
  const merged = own === undefined || typeof own === "object" ? { ...document, leaderElection } : document;
  const set = ELECTION_FIELDS.filter(([, field]) => Object.hasOwn(overrides, field));
  const flagOf = new Map([
    ...(fromFile ? [] : CLIENT_FIELDS),
    ...set.map(([flag, field]) => [`leaderElection.${field}`, flag] as const),
  ]);
  // Without a file both sides of the rule are flags, and named.
  const times = !fromFile && flags["leader-elect"] ? electionFlagErrors(flags) : [];
  let settings: SchedulerConfiguration | undefined;
  const errors = [...times];
  try {
    settings = parseConfig(merged, schedulerConfigurationSchema, source);
    for (const [i, { plugins }] of settings.profiles.entries())
      errors.push(...pluginErrors(plugins).map((error) => `${source}, field profiles[${i}].${error}`));
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    const told = times.length > 0 ? /field leaderElection\.(leaseDuration|renewDeadline|retryPeriod):/ : /$^/;
    errors.push(...errorsByFlag(error.errors, source, flagOf).filter((error) => !told.test(error)));
  }
  if (errors.length > 0 || settings === undefined) throw new ConfigFileError(errors);
  const limited = fromFile ? hasField(document, ["clientConnection", "qps"]) : explicit.has("orch-api-qps");
  const warnings = fieldsWithoutEffect
    .filter((field) => fromFile && hasField(document, field.split(".")))
    .map((field) => `${source}, field ${field} has no effect`);
  return { settings, limited, warnings };
}
