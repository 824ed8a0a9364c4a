import { once } from "node:events";
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { type ClientConfig, secureOptions } from "@orchernetes/client";
import { messageOf } from "@orchernetes/kernel";

/** What a proxy changes in a request and in its response. */
interface TextTranslation {
  /** Of the path with its query, the headers and the body of a request. */
  readonly toServer: (text: string) => string;
  /** Of the headers and the lines of a response. */
  readonly toClient: (text: string) => string;
  /**
   * Whether the client gets text even if it asks for protobuf, too, which cannot be translated.
   * @default false: protobuf is passed on unchanged
   */
  readonly textOnly?: boolean;
}

/** How a request to a path, with its query, is translated; undefined: request and response are passed on as they are. */
export type Translation = (path: string) => TextTranslation | undefined;

/** A proxy between a client and a server that understand each other only after a translation. */
export interface TranslatingProxy {
  /** URL for the client. There is no TLS. */
  readonly url: string;
  /** Stops the proxy and closes all connections. */
  close(): void;
}

/**
 * The server, and the identity with which the proxy sends requests. The proxy adds it because clients send none to a server
 * without TLS, such as the proxy.
 */
type ProxiedServer = Pick<ClientConfig, "server" | "tls" | "token">;

interface Upstream {
  readonly agent: http.Agent;
  readonly request: typeof http.request;
  readonly server: string;
  readonly token: string | undefined;
}

/** Headers of a single hop. */
const HOP: readonly string[] = ["host", "connection"];
/** Those that are wrong after a change of the body, too. */
const OF_BODY: readonly string[] = [...HOP, "content-length", "transfer-encoding", "accept-encoding"];

function keptHeaders(
  headers: IncomingHttpHeaders,
  dropped: readonly string[],
  translate: (value: string) => string = (value) => value,
) {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !dropped.includes(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(translate) : value && translate(value)]),
  );
}

/** The formats that are not protobuf; JSON if there are none. */
const textFormats = (accept = ""): string =>
  accept
    .split(",")
    .filter((format) => format.trim() !== "" && !format.includes("protobuf"))
    .join(",") || "application/json";

const isText = ({ "content-type": type = "" }: IncomingHttpHeaders): boolean => !type.includes("protobuf");

/**
 * Yields whole lines as soon as they are complete, so that watches and logs are not delayed. A chunk may end within a
 * word that has to be translated.
 */
async function* translatedLines(
  response: AsyncIterable<string>,
  toClient: TextTranslation["toClient"],
): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of response) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) yield lines.map((line) => `${toClient(line)}\n`).join("");
  }
  if (rest !== "") yield toClient(rest);
}

/** Sends a request, with its body. */
async function send(
  to: Upstream,
  translation: TextTranslation | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<IncomingMessage> {
  const { url = "/", method = "GET" } = request;
  const path = translation?.toServer(url) ?? url;
  const headers = keptHeaders(request.headers, translation === undefined ? HOP : OF_BODY, translation?.toServer);
  if (translation?.textOnly) headers.accept = textFormats(request.headers.accept);
  const body = translation?.toServer(await text(request));
  const upstream = to.request(new URL(path, to.server), {
    agent: to.agent,
    method,
    headers: {
      ...headers,
      ...(to.token !== undefined && { authorization: `Bearer ${to.token}` }),
      // Node would send the body with chunked encoding only for some methods without it.
      ...(body && { "content-length": Buffer.byteLength(body) }),
    },
  });
  // Errors after the response has begun are those of its body.
  upstream.on("error", () => undefined);
  // The end of a watch.
  response.once("close", () => upstream.destroy());
  const responded = once(upstream, "response") as Promise<[IncomingMessage]>;
  if (body === undefined) request.pipe(upstream);
  else upstream.end(body);
  const [received] = await responded;
  return received;
}

async function forward(
  to: Upstream,
  translation: TextTranslation | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const received = await send(to, translation, request, response);
  const { statusCode = 502, headers } = received;
  if (translation === undefined) {
    response.writeHead(statusCode, keptHeaders(headers, HOP));
    response.flushHeaders();
    await pipeline(received, response);
    return;
  }
  const { toClient } = translation;
  response.writeHead(statusCode, keptHeaders(headers, OF_BODY, toClient));
  response.flushHeaders();
  if (!isText(headers)) await pipeline(received, response);
  else await pipeline(received.setEncoding("utf8"), (lines) => translatedLines(lines, toClient), response);
}

function upstreamOf({ server, tls, token }: ProxiedServer): Upstream {
  const options = { keepAlive: true, maxSockets: 256 };
  const current = typeof tls === "function" ? tls() : tls;
  return server.startsWith("https:")
    ? { agent: new https.Agent({ ...options, ...secureOptions(current ?? {}) }), request: https.request, server, token }
    : { agent: new http.Agent(options), request: http.request, server, token };
}

/**
 * Starts a proxy on a free port of 127.0.0.1 that translates what a client and a server say to each other. Upgraded connections
 * (exec, attach, port-forward) are not supported. A server that cannot be reached is reported with 502.
 */
export async function startTranslatingProxy(
  server: ProxiedServer,
  translation: Translation,
): Promise<TranslatingProxy> {
  const upstream = upstreamOf(server);
  const proxy = http.createServer((request, response) => {
    forward(upstream, translation(request.url ?? "/"), request, response).catch((error: unknown) => {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      response.writeHead(502, { "content-type": "text/plain" });
      response.end(messageOf(error));
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close() {
      proxy.close();
      proxy.closeAllConnections();
      upstream.agent.destroy();
    },
  };
}
