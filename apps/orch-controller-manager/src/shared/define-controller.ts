import type { CloudContext } from "@orchernetes/cloud-provider";
import type { OrchControllerManagerConfiguration } from "@orchernetes/config";
import {
  type ControllerDefinition,
  type ControllerShell,
  type ControllerDescriptor as Descriptor,
  describeController,
  type SettingsSource as Source,
} from "@orchernetes/controller";
import type { Discovery } from "./discovery.ts";

/** The services that a controller gets when it starts. */
export interface ManagerContext extends CloudContext {
  readonly discovery: Discovery;
}

/** The shell from which a controller is built. */
export type ManagerShell = ControllerShell<ManagerContext>;

/** The sources of a controller's settings. */
export type SettingsSource = Source<OrchControllerManagerConfiguration>;

/** A controller in the form in which the manager starts it. */
export type ControllerDescriptor = Descriptor<ManagerContext, OrchControllerManagerConfiguration>;

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
  definition: ControllerDefinition<Settings, ManagerContext, OrchControllerManagerConfiguration>,
): ControllerDescriptor {
  return describeController(definition);
}
