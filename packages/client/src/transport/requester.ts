import type { TransportResponse } from "./transport.ts";

/** One call below the typed ones. */
export interface RawRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path on the server, without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** An object is sent as JSON; text and bytes as they are. */
  readonly body?: unknown;
  /** @default "application/json" */
  readonly contentType?: string;
  /** @default "application/json" */
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Overrides the client's. */
  readonly timeoutMs?: number;
}

/** Sends requests to one API server as one identity. */
export interface Requester {
  /**
   * The answer's body: parsed when it is JSON, else text.
   *
   * @throws ApiError for an answer of 400 and above; TransportError without a usable answer; the signal's reason
   */
  request(request: RawRequest): Promise<unknown>;
  /**
   * The answer's head with the body unread, on a connection of its own: for watches, logs and other long answers.
   *
   * @throws as {@link Requester.request}
   */
  stream(request: RawRequest): Promise<TransportResponse>;
}
