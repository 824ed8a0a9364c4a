import { type ClientConfig, type ContentTypes, givenContentTypes } from "@orchernetes/client";
import {
  type CloudProviderModule,
  type CloudProviderTable,
  type CloudWebhook,
  findProvider,
  readCloudConfig,
} from "@orchernetes/cloud-provider";
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
import {
  type CloudControllerManagerConfiguration,
  cloudControllerManagerConfigurationSchema,
} from "@orchernetes/config";
import { type Selection, type SettingsSource, selectControllers } from "@orchernetes/controller";
import {
  type ControllerLock,
  type LeaderMigration,
  readClients,
  readMigration,
  withElectionErrors,
} from "@orchernetes/leader-election";
import { type CloudController, controllers } from "./controllers.ts";
import { cloudControllerManagerFlags, fieldsWithoutEffect } from "./flags/index.ts";
import { switchedGates } from "./switched-gates.ts";
import { checkWebhookFiles, selectWebhooks, webhookWarnings } from "./webhooks/webhook-settings.ts";

/** The parsed flags of cloud-controller-manager. */
export type Flags = FlagValues<typeof cloudControllerManagerFlags>;

/** Everything the daemon needs, checked. */
export interface Config {
  readonly flags: Flags;
  readonly settings: CloudControllerManagerConfiguration;
  readonly provider: CloudProviderModule;
  /** Contents of `--cloud-config`. */
  readonly cloudConfig: string | undefined;
  readonly client: ClientConfig;
  /** Media types of requests; undefined: JSON. */
  readonly contentTypes: ContentTypes | undefined;
  /** From `--authentication-orchconfig`. */
  readonly tokenReviewClient: ClientConfig | undefined;
  /** From `--authorization-orchconfig`. */
  readonly accessReviewClient: ClientConfig | undefined;
  readonly gates: FeatureGates;
  /** The lock of the controllers that move between managers; undefined: none do. */
  readonly migration: LeaderMigration | undefined;
  /** The controllers to run while the manager leads, in the order in which they start. */
  readonly enabled: readonly CloudController[];
  /** Those to run while it holds the lock of the migration. */
  readonly migrated: readonly CloudController[];
  /** The settings of each controller, by its name. */
  readonly controllers: Readonly<Record<string, unknown>>;
  /** The webhooks to serve, by name. */
  readonly webhooks: Readonly<Record<string, CloudWebhook>>;
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
  const found = await findProvider(providers, settings.text(providerField), settings.origin(providerField));
  if ("error" in found) errors.push(found.error);
  errors.push(...withElectionErrors(flags, settings.errors));
  const orchconfig = settings.namedFile("Generic.ClientConnection.orchconfig");
  const { client, ...reviewClients } = await readClients(files, flags, orchconfig);
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("errors" in gates) errors.push(...gates.errors.map((error) => `flag --feature-gates: ${error}`));
  const cloudConfig = await readCloudConfig(
    files,
    settings.namedFile("OrchCloudShared.CloudProvider.CloudConfigFile"),
    "module" in found ? found.module : undefined,
  );
  await readServingFiles(files, flags, "cloud-controller-manager");
  const gateStates = { enabled: (name: FeatureName) => "gates" in gates && gates.gates.enabled(name) };
  const servesWebhooks = gateStates.enabled("CloudControllerManagerWebhook");
  const webhooks = selectWebhooks("module" in found ? found.module.webhooks : undefined, settings, errors);
  await checkWebhookFiles(files, flags);
  const { parsed } = settings;
  const { migration, warnings: migrationWarnings } = await readMigration({
    component: "cloud-controller-manager",
    flags,
    generic: parsed?.Generic,
    origin: (field) => settings.origin(field),
    files,
  });
  const selection = selectionOf(settings);
  errors.push(...selection.errors);
  // After an error the defaults stand in, so that all settings are checked.
  const document = parsed ?? cloudControllerManagerConfigurationSchema.parse(head);
  const source = { document, gates: gateStates, files, namedFile: settings.namedFile, client };
  const ofControllers = await settingsOfControllers(source);
  if (errors.length > 0 || "error" in found || parsed === undefined || client === undefined || "errors" in gates) {
    throw new ConfigurationError(errors);
  }
  const under = (lock: ControllerLock) =>
    selection.enabled.filter(({ name }) => (migration?.lockOf(name) ?? "main") === lock);
  return {
    flags,
    settings: parsed,
    provider: found.module,
    cloudConfig,
    client,
    contentTypes: await givenContentTypes(
      settings,
      "Generic.ClientConnection",
      () => import("@orchernetes/api/scheme"),
    ),
    ...reviewClients,
    gates: gates.gates,
    migration,
    enabled: under("main"),
    migrated: under("migration"),
    controllers: ofControllers,
    webhooks: servesWebhooks ? webhooks : {},
    warnings: [
      ...gates.warnings,
      ...idleGateWarnings({
        daemon: "cloud-controller-manager",
        features,
        named: flags["feature-gates"],
        switched: switchedGates,
      }),
      ...migrationWarnings,
      ...webhookWarnings(parsed.Webhook.Webhooks, servesWebhooks),
      ...settings.idleWarnings(fieldsWithoutEffect),
    ],
  };
}

type Settings = Configuration<CloudControllerManagerConfiguration>;

/** The controllers to run; checked although something else may be wrong. */
function selectionOf(settings: Settings): Selection<CloudController> {
  const field = "Generic.Controllers";
  const given = settings.value(field) ?? ["*"];
  const entries = Array.isArray(given) ? given.filter((entry) => typeof entry === "string") : [];
  return selectControllers(entries, controllers, [], settings.origin(field));
}

async function settingsOfControllers(
  source: SettingsSource<CloudControllerManagerConfiguration>,
): Promise<Readonly<Record<string, unknown>>> {
  const made: Record<string, unknown> = {};
  for (const controller of controllers) made[controller.name] = await controller.settings(source);
  return made;
}
