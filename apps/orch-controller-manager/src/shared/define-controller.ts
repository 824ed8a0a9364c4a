import type { ClientConfig } from "@orchernetes/client";
import type { FeatureGates, FeatureName, FlagTable, NamedFile, NamedFiles } from "@orchernetes/component";
import type { OrchControllerManagerConfiguration } from "@orchernetes/config";
import { type ControllerContext, type ControllerShell, runController } from "@orchernetes/controller";
import type { Discovery } from "./discovery.ts";

/** What a controller of this manager is given when it starts. */
export interface ManagerContext extends ControllerContext {
  readonly discovery: Discovery;
}

/** What a controller of this manager is put together from. */
export type ManagerShell = ControllerShell<ManagerContext>;

/** What a controller's settings are made from. */
export interface SettingsSource {
  /** Flags and file, checked, with defaults filled in. */
  readonly document: OrchControllerManagerConfiguration;
  readonly gates: Pick<FeatureGates<FeatureName>, "enabled">;
  /** Reads files that settings name, and collects what is wrong with them. */
  readonly files: NamedFiles;
  /** The file that a field of the document names, by dotted path. */
  namedFile(field: string): NamedFile;
  /** How the manager reaches the API server; undefined after an error. */
  readonly client: ClientConfig | undefined;
}

/** A controller as its folder declares it: the only place that knows it, beside the list of controllers. */
export interface ControllerDefinition<Settings> {
  /** As `--controllers` names it. */
  readonly name: string;
  /** Service account in `orch-system` under which it works with `--use-service-account-credentials`. */
  readonly serviceAccount: string;
  /** @default true */
  readonly enabledByDefault?: boolean;
  /** Source of its events, e.g. `replicaset-controller`. @default the service account */
  readonly eventSource?: string;
  /** Feature gates that change what it does. @default none */
  readonly gates?: readonly FeatureName[];
  /** Its flags; each sets a field of the document. @default none */
  readonly flags?: FlagTable;
  /** Its settings. Called for every controller, also for those that are off, so that errors are reported. */
  settings?(source: SettingsSource): Settings | Promise<Settings>;
  /** Declares informers, queues, loops and other work; the shell runs them. Synchronous. */
  build(shell: ManagerShell, settings: Settings): void;
}

/** A controller as the manager starts it. */
export interface ControllerDescriptor {
  readonly name: string;
  readonly serviceAccount: string;
  readonly enabledByDefault: boolean;
  readonly eventSource: string;
  readonly gates: readonly FeatureName[];
  readonly flags: FlagTable;
  /** What {@link ControllerDescriptor.start} is to be given. */
  settings(source: SettingsSource): Promise<unknown>;
  /** Runs until the context's signal aborts. It has asked for its informers when this returns its promise. */
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
    enabledByDefault: true,
    eventSource: serviceAccount,
    gates: [],
    flags: {},
    ...definition,
    settings: async (source) => definition.settings?.(source),
    // Controllers are listed together, whatever their settings: the manager hands back what `settings` gave.
    start: (context, settings) => runController(name, context, (shell) => build(shell, settings as Settings)),
  };
}
