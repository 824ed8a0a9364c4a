import { dirname } from "node:path";
import { type ClientConfig, type ContentTypes, givenContentTypes, secureOptions } from "@orchernetes/client";
import {
  ConfigurationError,
  type FeatureGates,
  type FeatureName,
  type FlagValues,
  features,
  idleGateWarnings,
  NamedFiles,
  parseFeatureGates,
  readServingFiles,
} from "@orchernetes/component";
import { type Configuration, readConfiguration } from "@orchernetes/component/configuration";
import { messageOf } from "@orchernetes/kernel";
import { readClients, withElectionErrors } from "@orchernetes/leader-election";
import type { Arguments } from "./config/plugin-args.ts";
import { PLUGINS } from "./config/plugin-points.ts";
import {
  type ProfileConfiguration,
  type SchedulerConfiguration,
  schedulerConfigurationFile,
} from "./config/scheduler-configuration.ts";
import { queueSortErrors, selectionErrors } from "./config/select-plugins.ts";
import { loadUserPlugins } from "./config/user-plugins.ts";
import { API_VERSIONS, deprecationOf } from "./config/versions.ts";
import { extenderTls } from "./extender/create-extenders.ts";
import { schedulerFlags } from "./flags/index.ts";
import type { UserPlugin } from "./plugin-definition.ts";
import { switchedGates } from "./switched-gates.ts";

/** The parsed flags of orch-scheduler. */
export type Flags = FlagValues<typeof schedulerFlags>;

/** The validated configuration of the daemon. */
export interface Config {
  readonly flags: Flags;
  readonly settings: SchedulerConfiguration;
  readonly gates: FeatureGates<FeatureName>;
  /** The plugins of users, by `schedulerName` of the profile. */
  readonly userPlugins: ReadonlyMap<string, readonly UserPlugin[]>;
  readonly client: ClientConfig;
  /** Limit of requests per second, and of a burst; undefined: unlimited. */
  readonly rateLimit: { readonly qps: number; readonly burst: number } | undefined;
  /** Media types of requests; undefined: JSON. */
  readonly contentTypes: ContentTypes | undefined;
  readonly tokenReviewClient: ClientConfig | undefined;
  readonly accessReviewClient: ClientConfig | undefined;
  readonly warnings: readonly string[];
}

const head = { apiVersion: API_VERSIONS[0], kind: "OrchSchedulerConfiguration" } as const;

/**
 * Combines flags and the file of `--config`, and reports all errors together.
 *
 * @param explicit names of the flags on the command line
 * @throws ConfigurationError
 */
export async function completeConfig(flags: Flags, explicit: ReadonlySet<string>): Promise<Config> {
  const files = new NamedFiles();
  const { errors } = files;
  const settings: Configuration<SchedulerConfiguration> = await readConfiguration({
    table: schedulerFlags,
    flags,
    explicit,
    file: flags.config,
    head,
    schema: async () => schedulerConfigurationFile,
  });
  const { parsed } = settings;
  errors.push(...withElectionErrors(flags, settings.errors));
  errors.push(...settings.attributed(extenderErrors(parsed?.extenders ?? []).map((error) => `field ${error}`)));
  const { userPlugins, errors: pluginErrors } = await readPlugins(parsed?.profiles ?? []);
  errors.push(...settings.attributed(pluginErrors.map((error) => `field ${error}`)));
  const orchconfig = settings.namedFile("clientConnection.orchconfig");
  // A file with errors may have had the field.
  const isUnknown = parsed === undefined && flags.config !== "" && orchconfig.path === "";
  const { client, ...reviewClients } = await readClients(files, flags, isUnknown ? undefined : orchconfig);
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("errors" in gates) errors.push(...gates.errors.map((error) => `--feature-gates: ${error}`));
  else errors.push(...settings.attributed(gateErrors(parsed, gates.gates).map((error) => `field ${error}`)));
  await readServingFiles(files, flags, "orch-scheduler");
  if (flags["write-config-to"] !== "")
    await files.writableDirectory({ from: "--write-config-to", path: dirname(flags["write-config-to"]) });
  if (errors.length > 0 || client === undefined || parsed === undefined || "errors" in gates)
    throw new ConfigurationError(errors);
  // The default limit is for ordinary clients. The scheduler binds as fast as it decides, and the server's priority and fairness
  // limits that, so it has no limit of its own by default.
  const isLimited = settings.isGiven("clientConnection.qps");
  const { qps, burst } = parsed.clientConnection;
  return {
    flags,
    settings: parsed,
    gates: gates.gates,
    userPlugins,
    client,
    rateLimit: isLimited && qps > 0 ? { qps, burst } : undefined,
    contentTypes: await givenContentTypes(settings, "clientConnection", () => import("@orchernetes/api/scheme")),
    ...reviewClients,
    warnings: [
      ...[deprecationOf(parsed.apiVersion) ?? []].flat(),
      ...gates.warnings,
      ...idleGateWarnings({
        daemon: "orch-scheduler",
        features,
        named: flags["feature-gates"],
        switched: switchedGates,
      }),
    ],
  };
}

/** What is wrong with the certificates and keys of extenders. */
const extenderErrors = (extenders: SchedulerConfiguration["extenders"]): readonly string[] =>
  extenders.flatMap((extender, i) => {
    try {
      secureOptions(extenderTls(extender));
      return [];
    } catch (error) {
      return [`extenders[${i}].tlsConfig: ${messageOf(error)}; want PEM that is valid`];
    }
  });

/** Loads the plugins of users. The errors are those of the plugins that profiles select, each after its field. */
async function readPlugins(
  profiles: SchedulerConfiguration["profiles"],
): Promise<Pick<Config, "userPlugins"> & { readonly errors: readonly string[] }> {
  const userPlugins = new Map<string, readonly UserPlugin[]>();
  const errors: string[] = [];
  const knownOf = ({ schedulerName }: ProfileConfiguration) => [...PLUGINS, ...(userPlugins.get(schedulerName) ?? [])];
  for (const [i, profile] of profiles.entries()) {
    const loaded = await loadUserPlugins(profile);
    userPlugins.set(profile.schedulerName, loaded.plugins);
    // A module that cannot be loaded has no plugins, which must not be reported as a second error.
    const found = loaded.errors.length > 0 ? loaded.errors : selectionErrors(profile, knownOf(profile));
    errors.push(...found.map((error) => `profiles[${i}].${error}`));
  }
  return { userPlugins, errors: [...errors, ...queueSortErrors(profiles, knownOf)] };
}

/** Arguments that need a feature gate. An error, so that they do not take effect with a later default of the gate. */
function gateErrors(settings: SchedulerConfiguration | undefined, gates: FeatureGates<FeatureName>): readonly string[] {
  if (gates.enabled("VolumeCapacityPriority")) return [];
  return (settings?.profiles ?? []).flatMap(({ pluginConfig }, p) =>
    pluginConfig.flatMap(({ name, args }, i) =>
      name === "VolumeBinding" && (args as Arguments["VolumeBinding"]).shape !== undefined
        ? [
            `profiles[${p}].pluginConfig[${i}].args.shape: unexpected field \`shape\`, remove it or turn on the feature gate VolumeCapacityPriority`,
          ]
        : [],
    ),
  );
}
