import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { messageOf } from "@orchernetes/kernel";
import { toOwnNames, toStockNames } from "./naming.ts";

/** The API server, and who the client is to it: kubectl keeps its token from a server without TLS, as the proxy is one. */
interface Server {
  readonly url: string;
  readonly token: string;
}

/** A proxy between a stock client and a server of this project. */
export interface TranslatingProxy {
  /** Where the stock client finds the server. */
  readonly url: string;
  close(): void;
}

/** Headers of one hop, and those that no longer hold when the body has changed. */
const DROPPED: ReadonlySet<string> = new Set(["host", "connection", "content-length", "accept-encoding"]);

function translateHeaders(headers: http.IncomingHttpHeaders, translate: (value: string) => string) {
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, Array.isArray(value) ? value.map(translate) : value && translate(value)]),
  );
}

const isText = (headers: http.IncomingHttpHeaders): boolean => !(headers["content-type"] ?? "").includes("protobuf");

/** Whole lines as soon as they are there, so that watches and logs flow. */
async function* translatedLines(response: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of response) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield `${toStockNames(line)}\n`;
  }
  if (rest !== "") yield toStockNames(rest);
}

async function forward(to: Server, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const body = toOwnNames(await text(request));
  const upstream = https.request(new URL(toOwnNames(request.url ?? "/"), to.url), {
    method: request.method,
    headers: {
      ...translateHeaders(request.headers, toOwnNames),
      authorization: `Bearer ${to.token}`,
      // Not for any method would a body be framed otherwise.
      ...(body === "" ? {} : { "content-length": Buffer.byteLength(body) }),
    },
    rejectUnauthorized: false,
  });
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    upstream.once("response", resolve).once("error", reject);
  });
  response.once("close", () => upstream.destroy());
  upstream.end(body);
  const answer = await answered;
  response.writeHead(answer.statusCode ?? 502, translateHeaders(answer.headers, toStockNames));
  const chunks = isText(answer.headers) ? translatedLines(answer.setEncoding("utf8")) : answer;
  for await (const chunk of chunks) response.write(chunk);
  response.end();
}

/**
 * Lets a stock client speak to a server under the naming rule, as a client built with the rule's names would: what it sends is
 * translated to this project's names, what it gets is translated back. Bodies in protobuf are passed as they are. Upgraded
 * connections are not supported. The server's certificate is not checked.
 */
export async function startTranslatingProxy(server: Server): Promise<TranslatingProxy> {
  const proxy = http.createServer((request, response) => {
    forward(server, request, response).catch((error: unknown) => {
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
