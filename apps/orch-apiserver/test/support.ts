import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:https";
import type { TestApiServer } from "@orchernetes/testkit";

/** What the server answered; `json` is undefined for other bodies. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
  // Tests look into answers of many kinds.
  readonly json: Json;
}

/** Any JSON; absent parts read as undefined. */
export interface Json {
  readonly [key: string]: Json;
}

/** How {@link call} asks. */
export interface CallOptions {
  readonly body?: unknown;
  /** Sent as it is instead of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the administrator's; null: none. */
  readonly token?: string | null;
  /** Certificate of the client, PEM. */
  readonly certificate?: { readonly certPem: string; readonly keyPem: string };
}

/** One request on a connection of its own. */
export async function call(
  server: TestApiServer,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const token = options.token === undefined ? server.token : options.token;
  const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const outgoing = request({
    host: "127.0.0.1",
    port: server.port,
    method,
    path,
    ca: readFileSync(server.caFile),
    ...(options.certificate && { cert: options.certificate.certPem, key: options.certificate.keyPem }),
    agent: false,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      // Deletes with a body would have none that the server sees.
      ...(payload === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(payload)) }),
      ...options.headers,
    },
  });
  const answered = once(outgoing, "response");
  // Answers may come, and the connection go, before a large body has been sent.
  outgoing.on("error", () => undefined);
  outgoing.end(payload);
  const [response] = (await answered) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString();
  const isJson = response.headers["content-type"]?.startsWith("application/json") === true && text !== "";
  const json = (isJson ? parse(text) : undefined) as Json;
  return { status: response.statusCode ?? 0, headers: response.headers, text, bytes, json };
}

/** Streams hold several documents; those are left as text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
