import { type ControllerContext, type ControllerShell, runController } from "@orchernetes/controller";
import type { ControllerManagerConfig } from "../config.ts";
import type { Discovery } from "./discovery.ts";

/** What a controller of this manager is given when it starts. */
export interface ManagerContext extends ControllerContext {
  readonly discovery: Discovery;
  readonly config: ControllerManagerConfig;
}

/** What a controller of this manager is put together from. */
export type ManagerShell = ControllerShell<ManagerContext>;

/** A controller as its folder declares it. */
export interface ControllerDefinition {
  /** As `--controllers` names it. */
  readonly name: string;
  /** Service account in `orch-system` under which it works with `--use-service-account-credentials`. */
  readonly serviceAccount: string;
  /** @default true */
  readonly enabledByDefault?: boolean;
  /** Source of its events, e.g. `replicaset-controller`. @default the service account */
  readonly eventSource?: string;
  /** Declares informers, queues, loops and other work; the shell runs them. Synchronous. */
  build(shell: ManagerShell): void;
}

/** A controller as the manager starts it. */
export interface ControllerDescriptor extends Omit<ControllerDefinition, "build"> {
  readonly enabledByDefault: boolean;
  readonly eventSource: string;
  /** Runs until the context's signal aborts. It has asked for its informers when this returns its promise. */
  start(context: ManagerContext): Promise<void>;
}

/**
 * Declares a controller.
 *
 * @example
 * ```ts
 * export const jobController = defineController({
 *   name: "job",
 *   serviceAccount: "job-controller",
 *   build(shell) {
 *     const jobs = shell.informer(jobsRef);
 *     const queue = shell.queue("job");
 *     follow(jobs, queue);
 *     shell.loop({ queue, workers: 5, gather: (key) => jobs.lister.byKey(key), reconcile, carryOut: inOrder({ … }) });
 *   },
 * });
 * ```
 */
export function defineController(definition: ControllerDefinition): ControllerDescriptor {
  const { build, ...rest } = definition;
  return {
    enabledByDefault: true,
    eventSource: rest.serviceAccount,
    ...rest,
    start: (context) => runController(rest.name, context, build),
  };
}
