import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { BodyFormat } from "./body-format.ts";
import type { ClientTls } from "./credentials.ts";

/** One HTTP request. */
export interface TransportRequest {
  readonly method: string;
  /** The path with query, starting with `/`, relative to the server's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  /** Whether the response is long-lived: over HTTP/1.1 it then has a connection of its own instead of a pooled one. */
  readonly stream?: boolean;
  /** Milliseconds until the whole response must have arrived, or begun in case of a stream; 0 is no limit. */
  readonly timeoutMs: number;
  /** Called when there is a connection, at the moment before the request is sent; what it throws rejects the request. */
  readonly beforeSend?: () => void;
  readonly signal?: AbortSignal;
}

/** The header of a response. The caller must read the body or destroy it. */
export interface TransportResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  /** The body, if all of it has arrived; then there is nothing to read or destroy. */
  readonly whole?: Buffer;
  /** How the body is read. @default as JSON, if the header says so */
  readonly format?: BodyFormat;
}

/** Sends HTTP requests to one server. */
export interface Transport {
  /**
   * Sends a request and resolves with the header of the response.
   *
   * @throws TransportError without a response; the signal's reason when it aborted
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes idle connections; those in use close when their last request ends. */
  close(): void;
}

/** The server of a transport, and its limits. */
export interface TransportOptions {
  readonly server: URL;
  /** Called for every request, so that rotated certificates are used: a new object causes new connections. */
  readonly tls: () => ClientTls;
  /** The largest number of connections: further requests wait (HTTP/1.1, watches excepted) or share one beyond its limit (HTTP/2). */
  readonly maxConnections: number;
  /**
   * How dead HTTP/2 connections are detected, in milliseconds. @default a ping every 30 s, with a response
   * within 15 s
   */
  readonly keepAlive?: { readonly everyMs: number; readonly answerMs: number };
}
