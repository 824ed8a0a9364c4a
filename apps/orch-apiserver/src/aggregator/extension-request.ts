import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import type { DialledRequest } from "../egress/dialled-agents.ts";
import { bracketed } from "../node-proxy/http-proxy.ts";
import { connectError, extensionLimits } from "./extension-connections.ts";
import type { Address } from "./service-resolver.ts";

/** A request to an extension server. */
export interface ExtensionRequest {
  readonly address: Address;
  readonly agent: https.Agent;
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly signal: AbortSignal;
}

/** Starts a request, whose body the caller writes. The request fails if no connection is made in time. */
export function beginRequest({ address, agent, method, path, headers, signal }: ExtensionRequest): ClientRequest {
  const { host, port, name = host } = address;
  const options: https.RequestOptions & DialledRequest = {
    host,
    port,
    method,
    path,
    headers: { ...headers, host: `${bracketed(name)}:${port}` },
    agent,
    signal,
    dialSignal: signal,
    maxHeaderSize: extensionLimits.maxHeaderBytes,
  };
  const request = https.request(options);
  request.on("socket", (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => request.destroy(new Error(connectError(address))),
      extensionLimits.connectTimeoutMs,
    ).unref();
    const done = () => clearTimeout(timer);
    socket.once("secureConnect", done);
    socket.once("close", done);
  });
  return request;
}

/**
 * Calls `reject` when the other server switches protocols without being asked to. Node emits no response then, so the request would never
 * end.
 */
export function refuseSwitch(request: ClientRequest, reject: (error: Error) => void): void {
  request.on("upgrade", (_, socket) => {
    socket.destroy();
    reject(new Error("the server switched protocols without a request for it"));
  });
}

/** A complete response. */
export interface ExtensionAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/**
 * Requests a document and reads it completely.
 *
 * @throws Error if there is no response in time, or if it is longer than `maxBytes`
 */
export async function fetchDocument(
  request: Omit<ExtensionRequest, "method" | "signal"> & { readonly signal: AbortSignal },
  limits: { readonly timeoutMs: number; readonly maxBytes: number },
): Promise<ExtensionAnswer> {
  const late = AbortSignal.timeout(limits.timeoutMs);
  const signal = AbortSignal.any([request.signal, late]);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = beginRequest({ ...request, method: "GET", signal });
      outgoing.on("response", resolve);
      outgoing.on("error", reject);
      refuseSwitch(outgoing, reject);
      outgoing.end();
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limits.maxBytes) throw new Error(`the response is longer than ${limits.maxBytes} bytes`);
      chunks.push(chunk);
    }
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
  } catch (error) {
    if (late.aborted) throw new Error(`no response within ${limits.timeoutMs} ms`, { cause: error });
    throw error;
  }
}
