import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { type ClientTls, secureOptions } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";
import type { NodeView } from "../cluster/node-view.ts";
import { linesOf } from "./lines.ts";
import { type AgentAddressFlags, agentAddress } from "./node-address.ts";
import { type MayReport, type NodeReport, ReportBuilder } from "./node-report.ts";

/** Reads the resource metrics of nodes. */
export interface OrchletClient {
  /** @throws Error when the agent does not answer with such a page before the signal aborts */
  read(node: NodeView, mayReport: MayReport, signal: AbortSignal): Promise<NodeReport>;
  /** Closes idle connections. */
  close(): void;
}

/** How node agents are called. */
export interface OrchletClientOptions {
  readonly flags: AgentAddressFlags;
  /** Returns the current material; when it returns a new object, new connections use that. */
  readonly tls: () => ClientTls;
  /** Returns a bearer token, if that is how this server authenticates. */
  readonly token: () => string | undefined;
  readonly clock: Clock;
}

/** 250 pods of three containers with long names have about one MiB. */
const LIMITS = { maxBytes: 8 * 1024 * 1024, maxLineLength: 8192 };
const PATH = "/metrics/resource";

/** Creates a client that keeps its connections to the agents. */
export function createOrchletClient({ flags, tls, token, clock }: OrchletClientOptions): OrchletClient {
  let used: { readonly tls: ClientTls; readonly agent: https.Agent } | undefined;
  const agentOf = (): https.Agent => {
    const current = tls();
    if (used?.tls === current) return used.agent;
    // Connections in use stay until their requests are done.
    used?.agent.destroy();
    // One idle connection for each node: they are used again at the next reading.
    const options = { keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY, ALPNProtocols: ["http/1.1"] };
    used = { tls: current, agent: new https.Agent({ ...secureOptions(current), ...options }) };
    return used.agent;
  };
  return {
    async read(node, mayReport, signal) {
      const bearer = token();
      const startMs = clock.nowMs();
      const request = https.get({
        ...agentAddress(node, flags),
        path: PATH,
        agent: agentOf(),
        signal,
        headers: { accept: "text/plain", ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) },
      });
      // Errors after the response has begun are those of its body.
      request.on("error", () => undefined);
      const [response] = (await once(request, "response")) as [IncomingMessage];
      try {
        if (response.statusCode !== 200) {
          throw new Error(`request failed, status: "${response.statusCode} ${response.statusMessage}"`);
        }
        const builder = new ReportBuilder(mayReport, startMs);
        for await (const lines of linesOf(response, LIMITS)) for (const line of lines) builder.add(line);
        return builder.report();
      } catch (error) {
        response.destroy();
        throw error;
      }
    },
    close: () => used?.agent.destroy(),
  };
}
