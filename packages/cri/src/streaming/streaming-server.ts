import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "@orchernetes/kernel";
import type { PortForwardRequest } from "../v1/services.ts";
import {
  negotiate,
  spdyCommandProtocols,
  spdyForwardProtocols,
  webSocketCommandProtocols,
  webSocketForwardProtocols,
} from "./negotiate.ts";
import type { CommandSession } from "./remote-command.ts";
import { serveSpdyCommand, serveSpdyForward } from "./spdy-sessions.ts";
import type { StreamingBackend } from "./streaming-backend.ts";
import { serveWebSocketCommand, serveWebSocketForward } from "./websocket-sessions.ts";
import { acceptWebSocket, type Upgrade } from "./websocket-upgrade.ts";

/** The session that a URL was issued for. */
export type StreamingSession = CommandSession | { readonly kind: "portforward"; readonly request: PortForwardRequest };

/** The options of a streaming server. */
export interface StreamingServerOptions {
  readonly backend: StreamingBackend;
  /** @default "127.0.0.1" */
  readonly host?: string;
  /** @default a free port */
  readonly port?: number;
  /** Logger for sessions that end with an error, at verbosity 4. */
  readonly logger?: Logger | undefined;
}

/** A server for sessions of exec, attach and port forwarding. */
export interface StreamingServer {
  /** Issues a URL for a session, valid for one connection within a minute. */
  url(session: StreamingSession): string;
  /** Closes all connections and stops the server. */
  close(): Promise<void>;
}

// The token in a URL is the only credential, so it is random, short-lived, and valid once. The limit bounds the
// memory of callers that never connect.
const tokenLifetimeMs = 60_000;
const maxTokens = 1000;

/**
 * Starts the server for the URLs that Exec, Attach and PortForward of a CRI runtime return. Supports SPDY/3.1 and
 * WebSocket, with the subprotocols `v1` to `v5.channel` and `portforward` in both spellings (KEP-4006 for version 5).
 * @throws Error when it cannot listen
 */
export async function startStreamingServer(options: StreamingServerOptions): Promise<StreamingServer> {
  const { backend, host = "127.0.0.1", port = 0, logger } = options;
  const sessions = new Map<string, { session: StreamingSession; timer: NodeJS.Timeout }>();
  const sockets = new Set<Duplex>();
  const server = createServer((_request, response) => {
    response.writeHead(400, { "Content-Type": "text/plain" });
    response.end("unable to upgrade: must be a connection upgrade to SPDY/3.1 or websocket\n");
  });

  function take(request: IncomingMessage): StreamingSession | undefined {
    const [, kind, token = ""] = /^\/(exec|attach|portforward)\/([\w-]+)(?:\?|$)/.exec(request.url ?? "") ?? [];
    const found = sessions.get(token);
    if (found === undefined || found.session.kind !== kind) return undefined;
    sessions.delete(token);
    clearTimeout(found.timer);
    return found.session;
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const to = String(request.headers.upgrade).toLowerCase();
    if (to !== "spdy/3.1" && to !== "websocket") {
      refuse(socket, 400, `unable to upgrade to "${to}": must be SPDY/3.1 or websocket`);
      return;
    }
    const session = take(request);
    if (session === undefined) {
      refuse(socket, 404, "unknown or used session; a URL is valid for one connection within a minute");
      return;
    }
    if (to === "websocket") await serveWebSocket({ request, socket, head }, session, backend);
    else await serveSpdy({ request, socket, head }, session, backend);
  }

  server.on("upgrade", (request, socket, head) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    upgrade(request, socket, head).catch((error: unknown) => {
      logger?.v(4)?.info("Streaming session failed", { url: request.url?.replace(/\/[\w-]+$/, ""), err: error });
      socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address() as AddressInfo;
  const base = `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;

  return {
    url(session) {
      const oldest = sessions.keys().next();
      if (sessions.size >= maxTokens && !oldest.done) {
        clearTimeout(sessions.get(oldest.value)?.timer);
        sessions.delete(oldest.value);
      }
      const token = randomBytes(16).toString("base64url");
      const timer = setTimeout(() => sessions.delete(token), tokenLifetimeMs);
      timer.unref();
      sessions.set(token, { session, timer });
      return `${base}/${session.kind}/${token}`;
    },
    async close() {
      for (const { timer } of sessions.values()) clearTimeout(timer);
      sessions.clear();
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function serveSpdy(
  { request, socket, head }: Upgrade,
  session: StreamingSession,
  backend: StreamingBackend,
): Promise<void> {
  const supported = session.kind === "portforward" ? spdyForwardProtocols : spdyCommandProtocols;
  const protocol = negotiate(request.headers["x-stream-protocol-version"], supported);
  if (protocol === undefined) {
    const accepted = supported.map((name) => `X-Accepted-Stream-Protocol-Versions: ${name}.k8s.io`);
    refuse(socket, 403, `none of the offered protocols is supported: ${supported.join(", ")}`, accepted);
    return;
  }
  const lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: SPDY/3.1"];
  if (protocol.name !== "") lines.push(`X-Stream-Protocol-Version: ${protocol.name}`);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  if (session.kind !== "portforward") await serveSpdyCommand(socket, session, backend, protocol.version);
  else await serveSpdyForward(socket, session.request.podSandboxId, session.request.port, backend);
}

async function serveWebSocket(
  { request, socket, head }: Upgrade,
  session: StreamingSession,
  backend: StreamingBackend,
): Promise<void> {
  const supported = session.kind === "portforward" ? webSocketForwardProtocols : webSocketCommandProtocols;
  const protocol = negotiate(request.headers["sec-websocket-protocol"], supported);
  if (protocol === undefined) {
    refuse(socket, 403, `none of the offered protocols is supported: ${supported.join(", ")}`);
    return;
  }
  const webSocket = await acceptWebSocket({ request, socket, head }, protocol.name);
  if (webSocket === undefined) return;
  if (session.kind !== "portforward") await serveWebSocketCommand(webSocket, session, backend, protocol);
  else await serveWebSocketForward(webSocket, session.request.podSandboxId, session.request.port, backend, protocol);
}

function refuse(socket: Duplex, status: number, message: string, headers: readonly string[] = []): void {
  const body = `${message}\n`;
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    ...headers,
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
