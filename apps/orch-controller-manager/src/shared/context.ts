import type { Client, EventRecorder, InformerFactory } from "@orchernetes/client";
import type { QueueMetrics } from "@orchernetes/controller";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { ControllerManagerConfig } from "../config.ts";
import type { Discovery } from "./discovery.ts";

/** What a controller is given when it starts. */
export interface ControllerContext {
  /** Under the controller's own name, with its own rate limit and, where configured, its own service account. */
  readonly client: Client;
  /** Shared by all controllers; those asked for run and sync after the controllers have started. */
  readonly informers: InformerFactory;
  readonly discovery: Discovery;
  /** Records events in the controller's name. */
  readonly recorder: EventRecorder;
  readonly config: ControllerManagerConfig;
  readonly queueMetrics: QueueMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Ends the controller. */
  readonly signal: AbortSignal;
}

/** A controller as the manager starts it. */
export interface ControllerDescriptor {
  /** As `--controllers` names it. */
  readonly name: string;
  /** Service account in `orch-system` under which it works with `--use-service-account-credentials`. */
  readonly serviceAccount: string;
  readonly enabledByDefault: boolean;
  /** Source of its events, e.g. `replicaset-controller`. @default the service account */
  readonly eventSource?: string;
  /**
   * Runs until the context's signal aborts. Everything before the first await asks for informers and adds handlers: the
   * shared informers start right after.
   */
  start(context: ControllerContext): Promise<void>;
}
