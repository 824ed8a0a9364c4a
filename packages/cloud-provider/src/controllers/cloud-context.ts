import type { Metrics } from "@orchernetes/component";
import type { OrchControllerManagerConfiguration } from "@orchernetes/config";
import type { ControllerContext } from "@orchernetes/controller";
import type { Clock } from "@orchernetes/kernel";
import type { CallContext, CloudProvider } from "../provider/cloud-provider.ts";

/** What a manager gives the controllers of the cloud. */
export interface CloudContext extends ControllerContext {
  /** The guarded provider; undefined if none is configured. */
  readonly cloud?: CloudProvider | undefined;
  readonly metrics: Metrics;
}

/** The sections that the configuration documents of both managers have. */
export type CloudDocument = Pick<OrchControllerManagerConfiguration, "OrchCloudShared" | "ServiceController">;

/** Longest time of a call that reads, in milliseconds. */
const READ_MS = 30_000;

/** Longest time of a call that changes something in the cloud, which some clouds finish before they answer. */
const WRITE_MS = 5 * 60_000;

/** Makes the contexts of a controller's calls. */
export interface CallContexts {
  readonly reading: () => CallContext;
  readonly writing: () => CallContext;
}

/** The contexts of calls about a cluster. */
export function callContexts(options: {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly clusterName: string;
}): CallContexts {
  const { clock, signal, clusterName } = options;
  const within = (ms: number) => (): CallContext => ({ signal, clusterName, deadlineMs: clock.nowMs() + ms });
  return { reading: within(READ_MS), writing: within(WRITE_MS) };
}
