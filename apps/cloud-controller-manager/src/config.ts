import type { ClientConfig } from "@orchernetes/client";
import {
  ConfigurationError,
  type FeatureGates,
  type FlagValues,
  features,
  flagFile,
  idleGateWarnings,
  NamedFiles,
  parseFeatureGates,
  readServingFiles,
} from "@orchernetes/component";
import { readConfiguration } from "@orchernetes/component/configuration";
import {
  type CloudControllerManagerConfiguration,
  cloudControllerManagerConfigurationSchema,
} from "@orchernetes/config";
import { type LeaderMigration, readClients, readMigration, withElectionErrors } from "@orchernetes/leader-election";
import { type CloudProviderFactory, type CloudProviderTable, lookUpProvider } from "./cloud-provider.ts";
import { cloudControllerManagerFlags, fieldsWithoutEffect } from "./flags/index.ts";
import { switchedGates } from "./switched-gates.ts";

/** The parsed flags of cloud-controller-manager. */
export type Flags = FlagValues<typeof cloudControllerManagerFlags>;

/** Everything the daemon needs, checked. */
export interface Config {
  readonly flags: Flags;
  readonly settings: CloudControllerManagerConfiguration;
  readonly provider: CloudProviderFactory;
  /** Contents of `--cloud-config`. */
  readonly cloudConfig: string | undefined;
  readonly client: ClientConfig;
  /** From `--authentication-orchconfig`. */
  readonly tokenReviewClient: ClientConfig | undefined;
  /** From `--authorization-orchconfig`. */
  readonly accessReviewClient: ClientConfig | undefined;
  readonly gates: FeatureGates;
  /** The lock of the controllers that move between managers; undefined: none do. */
  readonly migration: LeaderMigration | undefined;
  readonly warnings: readonly string[];
}

const head = {
  apiVersion: "cloudcontrollermanager.config.o8s.io/v1alpha1",
  kind: "CloudControllerManagerConfiguration",
} as const;

/**
 * Flags and the file of `--config` → settings, provider and client, all errors at once.
 *
 * @param explicit names of the flags that were on the command line
 * @throws ConfigurationError
 */
export async function completeConfig(
  flags: Flags,
  explicit: ReadonlySet<string>,
  providers: CloudProviderTable,
): Promise<Config> {
  const files = new NamedFiles();
  const { errors } = files;
  const settings = await readConfiguration({
    table: cloudControllerManagerFlags,
    flags,
    explicit,
    file: flags.config,
    head,
    schema: async () => cloudControllerManagerConfigurationSchema,
  });
  const providerField = "OrchCloudShared.CloudProvider.Name";
  const looked = lookUpProvider(providers, settings.text(providerField), settings.origin(providerField));
  if ("error" in looked) errors.push(looked.error);
  errors.push(...withElectionErrors(flags, settings.errors));
  const orchconfig = settings.namedFile("Generic.ClientConnection.orchconfig");
  const { client, ...reviewClients } = await readClients(files, flags, orchconfig);
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("errors" in gates) errors.push(...gates.errors.map((error) => `flag --feature-gates: ${error}`));
  const cloudConfigFile = settings.namedFile("OrchCloudShared.CloudProvider.CloudConfigFile");
  const cloudConfig = await files.text(cloudConfigFile, (text) => text);
  await readServingFiles(files, flags, "cloud-controller-manager");
  // Nothing acts on these yet; a missing file is an error all the same.
  await files.pair(flagFile(flags, "webhook-tls-cert-file"), flagFile(flags, "webhook-tls-private-key-file"));
  const { parsed } = settings;
  const { migration, warnings: migrationWarnings } = await readMigration({
    component: "cloud-controller-manager",
    flags,
    generic: parsed?.Generic,
    origin: (field) => settings.origin(field),
    files,
  });
  if (errors.length > 0 || "error" in looked || parsed === undefined || client === undefined || "errors" in gates) {
    throw new ConfigurationError(errors);
  }
  return {
    flags,
    settings: parsed,
    provider: looked.factory,
    cloudConfig,
    client,
    ...reviewClients,
    gates: gates.gates,
    migration,
    warnings: [
      ...gates.warnings,
      ...idleGateWarnings({
        daemon: "cloud-controller-manager",
        features,
        named: flags["feature-gates"],
        switched: switchedGates,
      }),
      ...migrationWarnings,
      ...settings.idleWarnings(fieldsWithoutEffect),
    ],
  };
}
