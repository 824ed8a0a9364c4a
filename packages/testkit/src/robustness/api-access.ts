import { readFileSync } from "node:fs";
import https from "node:https";
import type { TestApiServer } from "../servers/start-api-server.ts";
import type { Seen } from "./history.ts";

/** A complete response. */
export interface ApiResponse {
  readonly code: number;
  readonly body: unknown;
}

/** The fields of a ConfigMap that the harness uses. */
export interface RawObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** Longer than a fault, so that requests in flight during it may succeed or fail. */
const REQUEST_TIMEOUT_MS = 4000;

/**
 * Sends requests without retries, so that each of them is recorded with its own outcome. A client that retries would
 * hide which of two writes took effect.
 */
export class ApiAccess {
  readonly #server: TestApiServer;
  readonly #ca: Buffer;
  readonly #agent = new https.Agent({ keepAlive: true });
  readonly path: string;

  constructor(server: TestApiServer, namespace: string) {
    this.#server = server;
    this.#ca = readFileSync(server.caFile);
    this.path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  /** Sends a request. Rejects if no complete response arrives in time. */
  async send(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const response = await this.#open(method, path, body, AbortSignal.timeout(REQUEST_TIMEOUT_MS), this.#agent);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { code: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) };
  }

  /** Yields the lines of a watch until it ends; the last one may be incomplete. Throws if the connection breaks. */
  async *lines(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const response = await this.#open("GET", path, undefined, signal, undefined);
    let rest = "";
    response.setEncoding("utf8");
    for await (const part of response) {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }

  #open(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
    agent: https.Agent | undefined,
  ): Promise<
    NodeJS.ReadableStream & { readonly statusCode?: number | undefined; setEncoding(encoding: "utf8"): unknown }
  > {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${this.#server.token}`,
        "content-type": "application/json",
        // Without it, Node sends the body of a DELETE without a length.
        ...(text !== undefined && { "content-length": Buffer.byteLength(text) }),
      };
      const options = { method, ca: this.#ca, agent: agent ?? false, headers, signal };
      const request = https.request(`${this.#server.url}${path}`, options, resolve);
      request.on("error", reject);
      request.end(text);
    });
  }
}

/** The part of the access that single requests need. */
export type Requests = Pick<ApiAccess, "path" | "send">;

/** The part of an object that is recorded. */
export function seenOf(body: unknown): Seen {
  const { metadata, data } = body as RawObject;
  return { key: metadata.name, revision: Number(metadata.resourceVersion), id: data?.id ?? "" };
}
