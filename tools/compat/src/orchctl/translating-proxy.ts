import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { messageOf } from "@orchernetes/kernel";
import { toOwnNames, toStockNames } from "./naming.ts";

/**
 * The API server, and the token with which the proxy sends requests. The proxy adds the token because kubectl sends
 * none to a server without TLS, such as the proxy.
 */
interface Server {
  readonly url: string;
  readonly token: string;
}

/** What a proxy changes in texts: bodies, headers, and the paths of requests. */
export interface Translation {
  readonly toServer: (text: string) => string;
  readonly toClient: (text: string) => string;
}

/** The names of stock clients at a server of this project. */
const stockNames: Translation = { toServer: toOwnNames, toClient: toStockNames };

/** A proxy between a client and a server that understand each other only after a translation. */
export interface TranslatingProxy {
  /** URL for the client. */
  readonly url: string;
  /** Stops the proxy and closes all connections. */
  close(): void;
}

/** Headers of a single hop, and those that are wrong after a change of the body. */
const DROPPED: ReadonlySet<string> = new Set(["host", "connection", "content-length", "accept-encoding"]);

function translateHeaders(headers: http.IncomingHttpHeaders, translate: (value: string) => string) {
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, Array.isArray(value) ? value.map(translate) : value && translate(value)]),
  );
}

const isText = (headers: http.IncomingHttpHeaders): boolean => !(headers["content-type"] ?? "").includes("protobuf");

/**
 * Yields whole lines as soon as they are complete, so that watches and logs are not delayed. A chunk may end within a
 * word that has to be translated.
 */
async function* translatedLines(
  response: AsyncIterable<string>,
  toClient: Translation["toClient"],
): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of response) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield `${toClient(line)}\n`;
  }
  if (rest !== "") yield toClient(rest);
}

async function forward(
  to: Server,
  { toServer, toClient }: Translation,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const body = toServer(await text(request));
  const upstream = https.request(new URL(toServer(request.url ?? "/"), to.url), {
    method: request.method,
    headers: {
      ...translateHeaders(request.headers, toServer),
      authorization: `Bearer ${to.token}`,
      // Node would send the body with chunked encoding only for some methods without it.
      ...(body === "" ? {} : { "content-length": Buffer.byteLength(body) }),
    },
    rejectUnauthorized: false,
  });
  const responded = new Promise<http.IncomingMessage>((resolve, reject) => {
    upstream.once("response", resolve).once("error", reject);
  });
  response.once("close", () => upstream.destroy());
  upstream.end(body);
  const received = await responded;
  response.writeHead(received.statusCode ?? 502, translateHeaders(received.headers, toClient));
  const chunks = isText(received.headers) ? translatedLines(received.setEncoding("utf8"), toClient) : received;
  for await (const chunk of chunks) response.write(chunk);
  response.end();
}

/**
 * Starts a proxy that translates what a client and a server say to each other; by default between the names of a stock
 * client and those of this project. Protobuf responses are passed on unchanged; requests must be text.
 *
 * Upgraded connections (exec, attach, port-forward) are not supported. The certificate of the server is not verified,
 * since the proxy is for tests on one machine.
 */
export async function startTranslatingProxy(
  server: Server,
  translation: Translation = stockNames,
): Promise<TranslatingProxy> {
  const proxy = http.createServer((request, response) => {
    forward(server, translation, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502, { "content-type": "text/plain" });
      response.end(messageOf(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    proxy.once("error", reject);
    proxy.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
