import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { TLSSocket } from "node:tls";
import { assertNever } from "@orchernetes/kernel";
import { createCertificateAuthority, issueServerCertificate } from "@orchernetes/tls";

/** A request that a webhook server received. */
export interface WebhookRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The body as JSON; undefined if there is none or it is not JSON. */
  readonly body: unknown;
  /** Common name of the client's certificate, if it presented one. */
  readonly clientName: string | undefined;
}

/** How a webhook server responds to requests. */
export type WebhookBehaviour =
  /** Answers with JSON; a text is sent unchanged. */
  | {
      readonly type: "answer";
      readonly body: (request: WebhookRequest) => unknown;
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Redirects requests to a path, and answers those to other paths with JSON. */
  | {
      readonly type: "redirect";
      readonly from: string;
      readonly status: number;
      readonly location: string;
      readonly body: (request: WebhookRequest) => unknown;
    }
  /** Accepts requests and never answers. */
  | { readonly type: "silent" }
  /** Answers with a body of this many bytes, as fast as the client reads. */
  | { readonly type: "enormous"; readonly bytes: number }
  /** Answers one byte at a time, endlessly. */
  | { readonly type: "drip"; readonly everyMs: number }
  /** Closes the connection without an answer. */
  | { readonly type: "hangUp" };

/** Options of {@link startWebhookServer}. */
export interface StartWebhookServerOptions {
  readonly behaviour: WebhookBehaviour;
  /** Names and addresses in its certificate. @default ["127.0.0.1", "localhost"] */
  readonly hosts?: readonly string[];
  /** Common name of its certificate. @default "webhook" */
  readonly commonName?: string;
  /** Its certificate, in place of one with `hosts` and `commonName`; its signature may be as weak as TLS knows. */
  readonly pair?: { readonly certPem: string; readonly keyPem: string; readonly caPem: string };
  /** Authorities of client certificates, in PEM. A certificate is requested and not required. */
  readonly clientCaPem?: string;
}

/** A TLS server on a free port of 127.0.0.1 that stands for a webhook, and misbehaves as a test needs. */
export interface WebhookServer {
  readonly port: number;
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** The authority of its certificate. */
  readonly caPem: string;
  /** Every request so far. */
  readonly requests: readonly WebhookRequest[];
  /** Connections so far, including those that were closed. */
  readonly accepted: number;
  /** Open connections. */
  readonly connections: number;
  /** Responds like this from now on. */
  behave(behaviour: WebhookBehaviour): void;
  /** Closes all open connections. */
  cut(): void;
  stop(): Promise<void>;
}

/** Starts a webhook server with its own authority. */
export async function startWebhookServer(options: StartWebhookServerOptions): Promise<WebhookServer> {
  const { clientCaPem, pair } = options;
  const { certPem, keyPem, caPem } = pair ?? (await issuePair(options));
  let { behaviour } = options;
  let accepted = 0;
  const requests: WebhookRequest[] = [];
  const sockets = new Set<Socket>();
  const client = clientCaPem === undefined ? {} : { requestCert: true, rejectUnauthorized: false, ca: clientCaPem };
  const weak = pair && { ciphers: "DEFAULT@SECLEVEL=0" };
  const server = https.createServer({ cert: certPem, key: keyPem, ...weak, ...client }, (incoming, outgoing) => {
    received(incoming)
      .then((request) => {
        requests.push(request);
        return behave(behaviour, request, outgoing);
      })
      .catch(() => outgoing.destroy());
  });
  server.on("connection", (socket: Socket) => {
    accepted++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    caPem,
    requests,
    get accepted() {
      return accepted;
    },
    get connections() {
      return sockets.size;
    },
    behave(next) {
      behaviour = next;
    },
    cut,
    async stop() {
      const closed = once(server, "close");
      server.close();
      cut();
      await closed;
    },
  };
}

async function issuePair({ hosts = ["127.0.0.1", "localhost"], commonName = "webhook" }: StartWebhookServerOptions) {
  const ca = await createCertificateAuthority({ commonName: "webhook authority" });
  return { ...(await issueServerCertificate(ca, { commonName, hosts })), caPem: ca.certPem };
}

async function received(incoming: IncomingMessage): Promise<WebhookRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const peer = (incoming.socket as TLSSocket).getPeerCertificate();
  // Without a client certificate this is an empty object.
  const name: unknown = peer?.subject?.CN;
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers,
    body: jsonOf(Buffer.concat(chunks).toString("utf8")),
    clientName: typeof name === "string" ? name : undefined,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function behave(how: WebhookBehaviour, request: WebhookRequest, outgoing: ServerResponse): Promise<void> {
  switch (how.type) {
    case "answer": {
      const body = await how.body(request);
      outgoing.writeHead(how.status ?? 200, { "content-type": "application/json", ...how.headers });
      outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
      return;
    }
    case "redirect": {
      if (request.path === how.from) outgoing.writeHead(how.status, { location: how.location }).end();
      else outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(how.body(request)));
      return;
    }
    case "silent":
      return;
    case "enormous":
      return pour(how.bytes, outgoing);
    case "drip": {
      outgoing.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => outgoing.write(" "), how.everyMs);
      outgoing.once("close", () => clearInterval(timer));
      return;
    }
    case "hangUp":
      outgoing.destroy();
      return;
    default:
      assertNever(how);
  }
}

const PIECE = Buffer.alloc(64 * 1024, '"');

function pour(bytes: number, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(200, { "content-type": "application/json" });
  return pipeline(function* pieces() {
    for (let sent = 0; sent < bytes; sent += PIECE.length) yield PIECE;
  }, outgoing);
}
