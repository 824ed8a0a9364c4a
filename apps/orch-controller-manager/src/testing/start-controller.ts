import { createClient, createEventRecorder, createInformerFactory } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { createMetrics, type Metrics } from "@orchernetes/component";
import { noQueueMetrics, type QueueMetrics } from "@orchernetes/controller";
import { type Clock, type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import { onTestFinished } from "vitest";
import type { ControllerDescriptor } from "../shared/define-controller.ts";
import { createDiscovery } from "../shared/discovery.ts";
import { settings } from "./settings.ts";

/** What a test may want to watch. */
export interface Watched {
  readonly logger?: Logger;
  readonly queueMetrics?: QueueMetrics;
  readonly metrics?: Metrics;
}

/** A server for the test that runs. It is closed after the test, when the controllers that use it have ended. */
export async function serverForTest(): Promise<FakeApiServer> {
  const server = await startFakeApiServer();
  onTestFinished(() => server.close());
  return server;
}

/**
 * Runs controllers against a server; what is returned ends them. The end of the test does so at the latest. Events bear the
 * source "test".
 *
 * @param changes settings that differ from those of all tests, by the name of the controller
 */
export function startControllers(
  server: FakeApiServer,
  controllers: readonly ControllerDescriptor[],
  changes: Readonly<Record<string, object>> = {},
  clock: Clock = systemClock,
  { logger = silentLogger, queueMetrics = noQueueMetrics, metrics = createMetrics() }: Watched = {},
): () => Promise<void> {
  const client = createClient({ server: server.url });
  // As the manager does: an object must not be changed, because its parts may be those of others, too.
  const informers = createInformerFactory(client, { shareParts: true });
  const stop = new AbortController();
  const { signal } = stop;
  const running = controllers.map((controller) =>
    controller.start(
      {
        client,
        informers,
        discovery: createDiscovery(client),
        recorder: createEventRecorder(client, { component: "test", signal }),
        metrics,
        queueMetrics,
        logger,
        clock,
        signal,
      },
      { ...settings[controller.name], ...changes[controller.name] },
    ),
  );
  informers.start(signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await Promise.allSettled([...running, informers.stopped()]);
    client.close();
  };
  onTestFinished(end);
  return end;
}
