import { createClient, createEventRecorder, createInformerFactory } from "@orchernetes/client";
import { createMetrics, type Metrics } from "@orchernetes/component";
import { type ControllerDescriptor, noQueueMetrics } from "@orchernetes/controller";
import { type Clock, type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import type { CloudContext } from "../controllers/cloud-context.ts";
import type { CloudProvider } from "../provider/cloud-provider.ts";
import { guardProvider } from "../provider/guard-provider.ts";

/** A controller of the cloud that runs against a server. */
export interface RunningCloudController {
  readonly metrics: Metrics;
  /** Ends it; rejects with its error if it failed. */
  stop(): Promise<void>;
}

/** Runs a controller of the cloud with a provider, which is guarded. */
export function startCloudController(
  server: { readonly url: string },
  controller: Pick<ControllerDescriptor<CloudContext, never>, "eventSource" | "start">,
  cloud: CloudProvider | undefined,
  settings: object,
  { clock = systemClock, logger = silentLogger }: { readonly clock?: Clock; readonly logger?: Logger } = {},
): RunningCloudController {
  const client = createClient({ server: server.url });
  const informers = createInformerFactory(client);
  const stop = new AbortController();
  const { signal } = stop;
  const metrics = createMetrics();
  const running = controller.start(
    {
      client,
      informers,
      recorder: createEventRecorder(client, { component: controller.eventSource, signal }),
      queueMetrics: noQueueMetrics,
      cloud: cloud && guardProvider(cloud, { clock }),
      metrics,
      logger,
      clock,
      signal,
    },
    settings,
  );
  informers.start(signal);
  return {
    metrics,
    async stop() {
      stop.abort();
      await Promise.allSettled([running, informers.stopped()]);
      client.close();
      await running;
    },
  };
}
