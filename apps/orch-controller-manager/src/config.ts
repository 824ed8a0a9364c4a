import { type ClientConfig, type ContentTypes, givenContentTypes } from "@orchernetes/client";
import {
  ConfigurationError,
  type FlagValues,
  features,
  idleGateWarnings,
  NamedFiles,
  parseFeatureGates,
  readServingFiles,
} from "@orchernetes/component";
import { type Configuration, readConfiguration } from "@orchernetes/component/configuration";
import type { OrchControllerManagerConfiguration } from "@orchernetes/config";
import { orchControllerManagerDefaults } from "@orchernetes/config/orch-controller-manager-defaults";
import { type Selection, selectControllers } from "@orchernetes/controller";
import {
  type ControllerLock,
  type ElectionSettings,
  electionOf,
  type LeaderMigration,
  readClients,
  readMigration,
  withElectionErrors,
} from "@orchernetes/leader-election";
import { cloudControllers, controllers } from "./controllers/index.ts";
import { serviceAccountTokenController } from "./controllers/serviceaccount-token/controller.ts";
import { fieldsWithoutEffect, orchControllerManagerFlags } from "./flags/index.ts";
import { type ChosenCloud, readCloud } from "./read-cloud.ts";
import type { ControllerDescriptor, SettingsSource } from "./shared/define-controller.ts";
import { switchedGates } from "./switched-gates.ts";

/** The parsed flags of orch-controller-manager that are not its controllers'. */
export type Flags = FlagValues<typeof orchControllerManagerFlags>;

/** Everything the daemon needs, checked. */
export interface Config {
  readonly flags: Flags;
  /** Flags and file, with defaults filled in. */
  readonly settings: OrchControllerManagerConfiguration;
  readonly client: ClientConfig;
  /** Requests a second, and at once; undefined where nobody asked for a limit. */
  readonly rateLimit: { readonly qps: number; readonly burst: number } | undefined;
  /** Media types of requests; undefined: JSON. */
  readonly contentTypes: ContentTypes | undefined;
  readonly tokenReviewClient: ClientConfig | undefined;
  readonly accessReviewClient: ClientConfig | undefined;
  /** Undefined when the configuration turns it off. */
  readonly election: ElectionSettings | undefined;
  /** The lock of the controllers that move between managers; undefined: none do. */
  readonly migration: ElectionSettings | undefined;
  /** The controllers to run while the manager leads, in the order in which they start. */
  readonly enabled: readonly ControllerDescriptor[];
  /** Those to run while it holds the lock of the migration. */
  readonly migrated: readonly ControllerDescriptor[];
  /** The settings of each controller, by its name. */
  readonly controllers: Readonly<Record<string, unknown>>;
  /** The cloud provider; undefined if there is none, or cloud-controller-manager runs it. */
  readonly cloud: ChosenCloud | undefined;
  readonly warnings: readonly string[];
}

type Settings = Configuration<OrchControllerManagerConfiguration>;

const head = {
  apiVersion: "orchcontrollermanager.config.o8s.io/v1alpha1",
  kind: "OrchControllerManagerConfiguration",
} as const;

/**
 * Flags and the file of `--config` → configuration, all errors at once.
 *
 * @param explicit names of the flags that were on the command line
 * @throws ConfigurationError
 */
export async function completeConfig(flags: Flags, explicit: ReadonlySet<string>): Promise<Config> {
  const files = new NamedFiles();
  const { errors } = files;
  const settings: Settings = await readConfiguration({
    table: orchControllerManagerFlags,
    flags,
    explicit,
    file: flags.config,
    head,
    schema: async () =>
      (await import("@orchernetes/config/orch-controller-manager-configuration"))
        .orchControllerManagerConfigurationSchema,
    defaults: orchControllerManagerDefaults,
  });
  const { parsed } = settings;
  // After an error the defaults stand in, so that files are checked all the same.
  const document = parsed ?? orchControllerManagerDefaults;
  const orchconfig = settings.namedFile("Generic.ClientConnection.orchconfig");
  const { client, ...reviewClients } = await readClients(files, flags, orchconfig);
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("errors" in gates) errors.push(...gates.errors.map((error) => `--feature-gates: ${error}`));
  errors.push(...withElectionErrors(flags, settings.errors));
  const { ClientConnection, LeaderElection } = document.Generic;
  const selection = selectionOf(settings);
  errors.push(...selection.errors);
  await readServingFiles(files, flags, "orch-controller-manager");
  const source: SettingsSource = {
    document,
    gates: "gates" in gates ? gates.gates : { enabled: () => false },
    files,
    namedFile: settings.namedFile,
    client,
  };
  const ofControllers: Record<string, unknown> = {};
  for (const controller of controllers) ofControllers[controller.name] = await controller.settings(source);
  const { migration, warnings: migrationWarnings } = await readMigration({
    component: "orch-controller-manager",
    flags,
    generic: document.Generic,
    origin: (field) => settings.origin(field),
    files,
  });
  const cloud = await readCloud(files, settings, source.gates.enabled("DisableCloudProviders"));
  const enabled = cloud.isExternal
    ? selection.enabled.filter((controller) => !cloudControllers.includes(controller))
    : selection.enabled;
  const under = (lock: ControllerLock) => enabled.filter((controller) => lockOf(controller, migration) === lock);
  if (errors.length > 0 || client === undefined || "errors" in gates || parsed === undefined) {
    throw new ConfigurationError(errors);
  }
  // The server's own limits protect it better than the defaults, which suit clients of another age.
  const isLimited = settings.isGiven("Generic.ClientConnection.qps");
  return {
    flags,
    settings: parsed,
    client,
    rateLimit: isLimited ? { qps: ClientConnection.qps, burst: ClientConnection.burst } : undefined,
    contentTypes: await givenContentTypes(
      settings,
      "Generic.ClientConnection",
      () => import("@orchernetes/api/scheme"),
    ),
    ...reviewClients,
    election: electionOf(LeaderElection),
    migration: migration?.election,
    enabled: under("main"),
    migrated: under("migration"),
    controllers: ofControllers,
    cloud: cloud.chosen,
    warnings: [
      ...gates.warnings,
      ...idleGateWarnings({
        daemon: "orch-controller-manager",
        features,
        named: flags["feature-gates"],
        switched: switchedGates,
      }),
      ...selection.warnings,
      ...migrationWarnings,
      ...settings.idleWarnings(fieldsWithoutEffect),
    ],
  };
}

/** The controllers to run; checked although something else may be wrong. */
function selectionOf(settings: Settings): Selection<ControllerDescriptor> {
  const field = "Generic.Controllers";
  const given = settings.value(field) ?? ["*"];
  const entries = Array.isArray(given) ? given.filter((entry) => typeof entry === "string") : [];
  return selectControllers(entries, controllers, [], settings.origin(field));
}

/** The controller of tokens is always led by the main lock: it is prepared for the others, wherever they run. */
function lockOf(controller: ControllerDescriptor, migration: LeaderMigration | undefined): ControllerLock {
  if (migration === undefined || controller === serviceAccountTokenController) return "main";
  return migration.lockOf(controller.name);
}
