import { createPlainServing, type PlainServing } from "@orchernetes/component";
import { expressHandler } from "@orchernetes/daemon-server";
import { createAgentApp } from "./agent-app.ts";
import type { AgentServerOptions } from "./agent-server.ts";
import { healthHandler, operatorHandlers } from "./operator-handlers.ts";
import { openPages } from "./pages/agent-pages.ts";
import { measureRequests } from "./requests/request-metrics.ts";
import { untilClosed } from "./requests/until-closed.ts";

/**
 * Maximum number of connections: clients are not authenticated, and a client that does not read keeps a page of megabytes in
 * memory.
 */
const maxOpenConnections = 100;
/** Time after which a connection without data in either direction is closed, in milliseconds. */
const idleMs = 60_000;

/**
 * Starts the read-only port. It serves health, pods, statistics and metrics without TLS, authentication and authorization to
 * everyone who can reach it. Requests change nothing. Unlike in the original, there are no checkpoints: everyone could fill the
 * disk with them (CVE-2025-0426).
 *
 * @returns undefined if the port is disabled
 * @throws ConfigurationError if the address cannot be listened on
 */
export async function createReadOnlyServer(options: AgentServerOptions): Promise<PlainServing | undefined> {
  const { config, health, logger, metrics, clock } = options;
  const { address, readOnlyPort } = config.settings;
  if (readOnlyPort === 0) return undefined;
  const app = createAgentApp({
    pages: openPages(options),
    first: [healthHandler(health), ...operatorHandlers(undefined, { setVerbosity: undefined, queries: false })],
    debug: undefined,
    logger,
  });
  const measured = measureRequests(metrics, clock, "readonly");
  const handler = measured(untilClosed(expressHandler(app), clock));
  const serving = await createPlainServing({ bindAddress: address, port: readOnlyPort, logger }, handler);
  serving.server.maxConnections = maxOpenConnections;
  serving.server.setTimeout(idleMs);
  logger.info("Starting to listen read-only", { address, port: serving.port });
  return serving;
}
