import type { ClientConfig } from "@orchernetes/client";
import type { FeatureGates, FeatureName, FlagTable, Metrics, NamedFile, NamedFiles } from "@orchernetes/component";
import type { OrchControllerManagerConfiguration } from "@orchernetes/config";
import { type ControllerContext, type ControllerShell, runController } from "@orchernetes/controller";
import type { Discovery } from "./discovery.ts";

/** The services that a controller gets when it starts. */
export interface ManagerContext extends ControllerContext {
  readonly discovery: Discovery;
  /** The metrics of the process. */
  readonly metrics: Metrics;
}

/** The shell from which a controller is built. */
export type ManagerShell = ControllerShell<ManagerContext>;

/** The sources of a controller's settings. */
export interface SettingsSource {
  /** Flags and file, checked, with defaults filled in. */
  readonly document: OrchControllerManagerConfiguration;
  readonly gates: Pick<FeatureGates<FeatureName>, "enabled">;
  /** Reads the files that settings name, and collects their errors. */
  readonly files: NamedFiles;
  /** The file that a field of the document names; the field is given by its dotted path. */
  namedFile(field: string): NamedFile;
  /** How the manager reaches the API server; undefined after an error. */
  readonly client: ClientConfig | undefined;
}

/** The declaration of a controller. Only its folder and the list of controllers refer to it. */
export interface ControllerDefinition<Settings> {
  /** Name of the controller in `--controllers`. */
  readonly name: string;
  /** Its service account in `orch-system`, which is used with `--use-service-account-credentials`. */
  readonly serviceAccount: string;
  /** Always uses the identity of the manager; `serviceAccount` is then only its name in user agents and events. @default false */
  readonly usesManagerIdentity?: boolean;
  /** @default true */
  readonly enabledByDefault?: boolean;
  /** Source of its events, e.g. `replicaset-controller`. @default the service account */
  readonly eventSource?: string;
  /** Feature gates that affect it. @default none */
  readonly gates?: readonly FeatureName[];
  /** Its flags; each sets a field of the document. @default none */
  readonly flags?: FlagTable;
  /** Computes its settings. Called also for disabled controllers, so that errors are reported. */
  settings?(source: SettingsSource): Settings | Promise<Settings>;
  /** Declares informers, queues, loops and other work; the shell runs them. Synchronous. */
  build(shell: ManagerShell, settings: Settings): void;
}

/** A controller in the form in which the manager starts it. */
export interface ControllerDescriptor {
  readonly name: string;
  readonly serviceAccount: string;
  readonly usesManagerIdentity: boolean;
  readonly enabledByDefault: boolean;
  readonly eventSource: string;
  readonly gates: readonly FeatureName[];
  readonly flags: FlagTable;
  /** Computes the settings for {@link ControllerDescriptor.start}. */
  settings(source: SettingsSource): Promise<unknown>;
  /**
   * Runs until the context's signal aborts. Its informers are requested synchronously, before the promise is returned.
   */
  start(context: ManagerContext, settings: unknown): Promise<void>;
}

/**
 * Declares a controller.
 *
 * @example
 * ```ts
 * export const jobController = defineController({
 *   name: "job",
 *   serviceAccount: "job-controller",
 *   settings: ({ document }) => ({ workers: document.JobController.ConcurrentJobSyncs }),
 *   build(shell, { workers }) {
 *     const jobs = shell.informer(jobsRef);
 *     const queue = shell.queue("job");
 *     follow(jobs, queue);
 *     shell.loop({ queue, workers, gather: (key) => jobs.lister.byKey(key), reconcile, carryOut: inOrder({ … }) });
 *   },
 * });
 * ```
 */
export function defineController<Settings = undefined>(
  definition: ControllerDefinition<Settings>,
): ControllerDescriptor {
  const { name, serviceAccount, build } = definition;
  return {
    usesManagerIdentity: false,
    enabledByDefault: true,
    eventSource: serviceAccount,
    gates: [],
    flags: {},
    ...definition,
    settings: async (source) => definition.settings?.(source),
    // The types of settings differ, but the manager passes to `start` exactly what `settings` returned.
    start: (context, settings) => runController(name, context, (shell) => build(shell, settings as Settings)),
  };
}
