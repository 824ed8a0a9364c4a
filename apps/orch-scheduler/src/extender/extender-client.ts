import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { type ClientTls, secureOptions } from "@orchernetes/client";
import { formatDuration } from "@orchernetes/config";
import { messageOf } from "@orchernetes/kernel";
import { shownAddress } from "./shown-address.ts";

/** Sends requests to one extender. */
export interface ExtenderClient {
  /**
   * Posts JSON, and returns the JSON of the response.
   *
   * @param verb appended to the extender's address
   * @throws Error without a response of status 200 with JSON of limited size, within the time limit; the reason of the signal
   */
  post(verb: string, body: unknown, signal: AbortSignal): Promise<unknown>;
  /** Closes idle connections. */
  close(): void;
}

/** Where an extender is, and how it is called. */
export interface ExtenderEndpoint {
  /** `http://` or `https://`, with an optional path. */
  readonly urlPrefix: string;
  /** Used with `https://`. */
  readonly tls: ClientTls;
  /** For a whole request, in milliseconds. */
  readonly timeoutMs: number;
}

/** Bytes that a response may have in addition to a multiple of the request: extenders repeat what they received, with reasons. */
const EXTRA_BYTES = 1024 * 1024;
const FACTOR = 4;

/**
 * Creates a client that keeps connections. A request to an extender that is slow or dead, or sends too much, takes its time limit
 * at most.
 */
export function createExtenderClient({ urlPrefix, tls, timeoutMs }: ExtenderEndpoint): ExtenderClient {
  const base = new URL(urlPrefix);
  const options = { keepAlive: true, maxFreeSockets: 16 };
  const isSecure = base.protocol === "https:";
  const agent = isSecure ? new https.Agent({ ...options, ...secureOptions(tls) }) : new http.Agent(options);
  const send = isSecure ? https.request : http.request;
  return {
    async post(verb, body, signal) {
      const url = `${urlPrefix.replace(/\/+$/, "")}/${verb}`;
      const payload = Buffer.from(JSON.stringify(body));
      const late = AbortSignal.timeout(timeoutMs);
      try {
        const request = send(url, {
          method: "POST",
          agent,
          headers: { "content-type": "application/json", "content-length": payload.length },
          signal: AbortSignal.any([signal, late]),
        });
        // Errors after the response has begun are those of its body.
        request.on("error", () => undefined);
        request.end(payload);
        const [response] = (await once(request, "response")) as [IncomingMessage];
        return await answerOf(
          response,
          payload.length * FACTOR + EXTRA_BYTES,
          `failed ${verb} with extender at URL ${shownAddress(url)}`,
        );
      } catch (error) {
        signal.throwIfAborted();
        const why = late.aborted ? `no answer within ${formatDuration(timeoutMs)}` : messageOf(error);
        throw new Error(`Post "${shownAddress(url)}": ${why}`, { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

async function answerOf(response: IncomingMessage, maxBytes: number, failure: string): Promise<unknown> {
  try {
    if (response.statusCode !== 200) throw new Error(`${failure}, code ${response.statusCode}`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`${failure}: the response has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return parsed(Buffer.concat(chunks).toString(), failure);
  } finally {
    response.destroy();
  }
}

function parsed(text: string, failure: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${failure}: the response is not JSON`, { cause });
  }
}
