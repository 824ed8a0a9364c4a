import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { CertificatePair } from "@orchernetes/tls";

/** Group version that the server serves. */
export const group = "ext.example.com";
export const base = `/apis/${group}/v1`;

/** What a request looked like when it arrived. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  /** Common name of the client's certificate, if the authority of the proxy signed it. */
  readonly client: string | undefined;
}

/** An extension API server, as small as one can be. */
export interface ExtensionServer {
  readonly port: number;
  /** Every request but the checks of discovery. */
  readonly seen: Seen[];
  /** Discovery fails from now on. */
  fail(failing: boolean): void;
  /** Streams that are open. */
  streams(): number;
  stop(): Promise<void>;
}

const resources = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/v1`,
  resources: [
    { name: "widgets", singularName: "widget", namespaced: true, kind: "Widget", verbs: ["get", "list", "watch"] },
    { name: "widgets/status", singularName: "", namespaced: true, kind: "Widget", verbs: ["get"] },
  ],
};

const swagger = {
  swagger: "2.0",
  paths: {
    [`${base}/widgets`]: { get: { responses: { 200: { schema: { $ref: "#/definitions/Widget" } } } } },
    "/api/v1/pods": { get: { description: "not this server's" } },
  },
  definitions: {
    Widget: {
      type: "object",
      properties: { meta: { $ref: "#/definitions/io.o8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" } },
    },
    "io.o8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { type: "object", description: "another one" },
    Unused: { type: "object" },
  },
};

const documents: Readonly<Record<string, object>> = {
  "/openapi/v2": swagger,
  "/openapi/v3": { paths: { [base.slice(1)]: { serverRelativeURL: `/openapi/v3${base}?hash=HASH` } } },
  [`/openapi/v3${base}`]: { openapi: "3.0.0", info: { title: "extension" } },
};

/** Starts one, on 127.0.0.1 unless told otherwise. */
export async function startExtensionServer(
  tls: CertificatePair,
  proxyCa: string,
  host = "127.0.0.1",
): Promise<ExtensionServer> {
  const seen: Seen[] = [];
  const open = new Set<ServerResponse | Duplex>();
  let failing = false;
  const look = (request: IncomingMessage): Seen => {
    const socket = request.socket as TLSSocket;
    const client = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : undefined;
    return { method: request.method ?? "", url: request.url ?? "", headers: request.headers, client };
  };
  const send = (response: ServerResponse, status: number, value: object, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { pathname: path, searchParams } = new URL(request.url ?? "", "https://x");
    if (path === base) {
      if (failing) send(response, 500, {});
      else send(response, 200, resources);
      return;
    }
    seen.push(look(request));
    const document = documents[path];
    const what = path.split("/").at(-1);
    if (document !== undefined) send(response, 200, document, { etag: '"1"' });
    else if (searchParams.get("watch") === "true") {
      open.add(response);
      response.on("close", () => open.delete(response));
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"type":"ADDED","object":{"n":1}}\n');
      request.on("close", () => response.end());
      setTimeout(() => response.write('{"type":"ADDED","object":{"n":2}}\n'), 100).unref();
    } else if (what === "redirect") send(response, 302, {}, { location: "https://127.0.0.1/elsewhere" });
    else if (what === "huge") send(response, 200, {}, { "x-huge": "x".repeat(100_000) });
    else if (what === "cut") {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half", () => request.socket.destroy());
    } else if (what !== "hang") {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () =>
        send(
          response,
          what === "teapot" ? 418 : 200,
          { ...look(request), body: Buffer.concat(chunks).toString() },
          { "x-own": "yes", connection: "x-hop", "x-hop": "1", "audit-id": "theirs" },
        ),
      );
    }
  };
  const server = https.createServer(
    { cert: tls.certPem, key: tls.keyPem, ca: proxyCa, requestCert: true, rejectUnauthorized: false },
    answer,
  );
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    seen.push(look(request));
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
    if (request.url?.endsWith("/redirect/exec"))
      socket.end("HTTP/1.1 302 Found\r\nlocation: https://127.0.0.1/\r\ncontent-length: 0\r\n\r\n");
    else if (request.url?.endsWith("/plain/exec")) socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nplain");
    else {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n");
      socket.pipe(socket);
    }
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    fail: (now) => {
      failing = now;
    },
    streams: () => open.size,
    async stop() {
      server.closeAllConnections();
      for (const one of open) one.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
