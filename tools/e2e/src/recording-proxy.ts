import { once } from "node:events";
import { createServer } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

/** A request that went through the proxy, with the media types of its bodies. */
export interface SeenRequest {
  /** The beginning of `User-Agent`: the name of the program. */
  readonly agent: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly status: number;
  readonly responseType: string | undefined;
}

/** A proxy in front of an API server that keeps what is sent through it. */
export interface RecordingProxy {
  /** URL for clients. There is no TLS. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  close(): void;
}

/**
 * Starts a proxy on a free port of 127.0.0.1, which passes everything on unchanged.
 *
 * @param server URL of the server @param ca verifies its certificate
 */
export async function startRecordingProxy(server: string, ca: Buffer): Promise<RecordingProxy> {
  const requests: SeenRequest[] = [];
  const agent = new https.Agent({ ca, keepAlive: true });
  const proxy = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const { host: _, ...kept } = headers;
    const outgoing = https.request(new URL(url, server), { agent, method, headers: kept }, (answer) => {
      const { statusCode: status = 0 } = answer;
      requests.push({
        agent: headers["user-agent"]?.split("/")[0] ?? "",
        ...{ method, path: url, accept: headers.accept, contentType: headers["content-type"], status },
        responseType: answer.headers["content-type"],
      });
      response.writeHead(status, answer.headers);
      response.flushHeaders();
      // Either side may end a watch.
      pipeline(answer, response).catch(() => undefined);
    });
    outgoing.on("error", () => response.destroy());
    response.once("close", () => outgoing.destroy());
    pipeline(request, outgoing).catch(() => undefined);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    requests,
    close() {
      proxy.closeAllConnections();
      proxy.close();
      agent.destroy();
    },
  };
}
