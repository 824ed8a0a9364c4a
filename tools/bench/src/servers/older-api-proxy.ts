import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import type { TestApiServer } from "@orchernetes/testkit";

/** A version of an API that the server does not serve any more, and the one that is asked instead. */
interface Replaced {
  readonly older: string;
  readonly newer: string;
}

/**
 * What the reference's scheduler of level 1.20 lists and watches, and waits for: objects of both versions have the same fields, as far
 * as scheduling reads them.
 */
const REPLACED: readonly Replaced[] = [{ older: "policy/v1beta1", newer: "policy/v1" }];

/** A proxy on a free port of 127.0.0.1, without TLS, that acts as the administrator. */
export interface OlderApiProxy {
  readonly url: string;
  close(): void;
}

/** Starts a proxy through which daemons of level 1.20 can use a server of level 1.27. */
export async function startOlderApiProxy(server: TestApiServer): Promise<OlderApiProxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const target = { host: "127.0.0.1", port: server.port, ca: readFileSync(server.caFile), agent };
  const proxy = createServer((incoming, outgoing) => forward(incoming, outgoing, target, server.token));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close() {
      proxy.close();
      proxy.closeAllConnections();
      agent.destroy();
    },
  };
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, target: RequestOptions, token: string): void {
  const { url = "/", method = "GET" } = incoming;
  const replaced = REPLACED.find(({ older }) => url.startsWith(`/apis/${older}/`));
  const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
  // Only text can be rewritten.
  if (replaced !== undefined) headers.accept = "application/json";
  const path = replaced === undefined ? url : url.replace(replaced.older, replaced.newer);
  const sent = request({ ...target, method, path, headers }, (answer) => {
    const { "content-length": length, ...others } = answer.headers;
    const kept = replaced === undefined && length !== undefined ? { ...others, "content-length": length } : others;
    outgoing.writeHead(answer.statusCode ?? 502, kept);
    outgoing.flushHeaders();
    if (replaced === undefined) pipeline(answer, outgoing, () => undefined);
    else rewrite(answer, outgoing, replaced);
  });
  sent.on("error", () => outgoing.destroy());
  // The end of a watch.
  outgoing.on("close", () => sent.destroy());
  pipeline(incoming, sent, () => undefined);
}

/** Passes JSON on, line by line, with the older version in place of the newer one. */
function rewrite(answer: IncomingMessage, outgoing: ServerResponse, { older, newer }: Replaced): void {
  let text = "";
  answer.setEncoding("utf8");
  const write = (part: string) => outgoing.write(part.replaceAll(`"apiVersion":"${newer}"`, `"apiVersion":"${older}"`));
  answer.on("data", (data: string) => {
    text += data;
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) write(text.slice(0, end));
    text = text.slice(end);
  });
  answer.on("end", () => {
    write(text);
    outgoing.end();
  });
  answer.on("error", () => outgoing.destroy());
}
