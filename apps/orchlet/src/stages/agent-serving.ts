import { formatDuration } from "@orchernetes/apimachinery";
import { type Check, createHealth, type Health, pingCheck, respond } from "@orchernetes/component";
import { addVolumeMetrics } from "../metrics/volume-metrics.ts";
import { type AgentServerOptions, createAgentServer } from "../server/agent-server.ts";
import { serveHealthChecks } from "../server/health-server.ts";
import { createReadOnlyServer } from "../server/read-only-server.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import type { AgentNode } from "./agent-node.ts";
import type { AgentPods } from "./agent-pods.ts";

/** Maximum time since the last successful relist of the runtime's pods; after it the `syncloop` health check fails. */
const syncLimitMs = 120_000;

/** The servers of the agent: the secure port and the health port. */
export interface AgentServing {
  close(): Promise<void>;
}

/**
 * Starts the servers that the configuration enables.
 *
 * @throws TlsMaterialError if certificate files cannot be used; Error if the agent cannot listen on an address
 */
export async function serveAgent(
  host: AgentHost,
  api: AgentApi | undefined,
  node: AgentNode,
  { manager, reader, usage, refreshMetrics }: AgentPods,
): Promise<AgentServing> {
  const { config, cri, machine, metrics, tracer, logger, signal, clock, setVerbosity } = host;
  const health = agentHealth(host, node);
  addVolumeMetrics(metrics, () => manager.list().flatMap(({ identity }) => usage.volumes?.(identity.uid) ?? []));
  const options: AgentServerOptions = {
    ...{ config, cri, manager, reader, machine, metrics, tracer, health, logger, signal, clock, setVerbosity },
    usage,
    refreshMetrics,
    client: api?.client,
    certificate: api?.certificates.serving,
  };
  const serving = config.settings.enableServer ? await createAgentServer(options) : undefined;
  const readOnly = await createReadOnlyServer(options);
  const healthz = await serveHealth(host, health);
  return { close: async () => void (await Promise.all([serving, readOnly, healthz].map((one) => one?.close()))) };
}

function agentHealth({ logger }: AgentHost, { relist }: AgentNode): Health {
  const syncLoop: Check = {
    name: "syncloop",
    check() {
      const agoMs = relist.agoMs();
      if (agoMs > syncLimitMs) throw new Error(`the runtime's pods were last listed ${formatDuration(agoMs)} ago`);
    },
  };
  return createHealth({
    healthz: [pingCheck, syncLoop],
    livez: [pingCheck, syncLoop],
    readyz: [pingCheck],
    logger,
  });
}

/** Serves the health checks without TLS, by default on 127.0.0.1:10248. */
async function serveHealth({ config: { settings }, ...host }: AgentHost, health: Health) {
  if (settings.healthzPort === 0) return undefined;
  return serveHealthChecks(
    { bindAddress: settings.healthzBindAddress, port: settings.healthzPort },
    async (request, response) => {
      if (await health.handle(request, response)) return;
      respond(request, response, 404, { "content-type": "text/plain; charset=utf-8" }, "404 page not found\n");
    },
    host,
  );
}
