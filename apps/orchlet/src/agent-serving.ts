import { formatDuration } from "@orchernetes/apimachinery";
import { type Check, createHealth, createPlainServing, type Health, pingCheck, respond } from "@orchernetes/component";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import type { AgentNode } from "./agent-node.ts";
import type { AgentPods } from "./agent-pods.ts";
import { createAgentServer } from "./server/agent-server.ts";

/** After this long without a look at the runtime's pods the agent is not healthy. */
const syncLimitMs = 120_000;

/** The agent's ports. */
export interface AgentServing {
  close(): Promise<void>;
}

/** @throws TlsMaterialError for faulty certificate files; Error when an address cannot be listened on */
export async function serveAgent(
  host: AgentHost,
  api: AgentApi | undefined,
  node: AgentNode,
  { manager, reader }: AgentPods,
): Promise<AgentServing> {
  const { config, cri, machine, metrics, tracer, logger, signal, clock } = host;
  const health = agentHealth(host, node);
  const client = api?.client;
  const serving = config.settings.enableServer
    ? await createAgentServer({
        ...{ config, client, cri, manager, reader, machine, metrics, tracer, health, logger, signal, clock },
      })
    : undefined;
  const healthz = await serveHealth(host, health);
  return { close: async () => void (await Promise.all([serving?.close(), healthz?.close()])) };
}

function agentHealth({ logger }: AgentHost, { relist }: AgentNode): Health {
  const syncLoop: Check = {
    name: "syncloop",
    check() {
      const agoMs = relist.agoMs();
      if (agoMs > syncLimitMs) throw new Error(`no look at the pods for ${formatDuration(agoMs)}`);
    },
  };
  return createHealth({
    healthz: [pingCheck, syncLoop],
    livez: [pingCheck, syncLoop],
    readyz: [pingCheck],
    logger,
  });
}

/** The health port, without TLS. */
async function serveHealth({ config: { settings }, logger }: AgentHost, health: Health) {
  if (settings.healthzPort === 0) return undefined;
  return createPlainServing(
    { bindAddress: settings.healthzBindAddress, port: settings.healthzPort, logger },
    async (request, response) => {
      if (await health.handle(request, response)) return;
      respond(request, response, 404, { "content-type": "text/plain; charset=utf-8" }, "404 page not found\n");
    },
  );
}
