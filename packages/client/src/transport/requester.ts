import type { TransportResponse } from "./transport.ts";

/** A request without typed access. */
export interface RawRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path on the server without the query, percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /**
   * Objects are sent as JSON; text and bytes are sent unchanged. A client with other content types encodes objects, and the text of
   * JSON objects, in those, unless the request has a `contentType` of its own.
   */
  readonly body?: unknown;
  /** @default "application/json", or that of the client */
  readonly contentType?: string;
  /** @default "application/json", or what the client asks for */
  readonly accept?: string;
  /** Reads the text of a JSON response; what it throws makes the response unusable. Only JSON is asked for. @default JSON.parse */
  readonly decode?: (text: string) => unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Overrides the timeout of the client, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Sends requests to one API server as one identity. */
export interface Requester {
  /**
   * Resolves with the body of the response: parsed if it is JSON or of a content type of the client, otherwise as text.
   *
   * @throws ApiError for a status code of at least 400; TransportError without a usable response; the signal's reason
   */
  request(request: RawRequest): Promise<unknown>;
  /**
   * Resolves with the header of the response while the body is unread: for watches, logs and other long responses.
   * The caller must read the body or destroy it.
   *
   * @throws as {@link Requester.request}
   */
  stream(request: RawRequest): Promise<TransportResponse>;
}
