/**
 * HTTP/2 (RFC 9113) for clients that send many small requests: frames, header compression, and {@link ClientConnection}, one connection
 * with all its requests. `node:http2` creates several objects and callbacks for each request; this package writes all frames of a turn of
 * the event loop at once. The client of the API server and the connection to etcd use it. Servers use `node:http2`.
 *
 * @example
 * ```ts
 * import { connect } from "node:tls";
 * import { ClientConnection } from "@orchernetes/http2";
 *
 * const socket = connect({ host: "127.0.0.1", port: 6443, ALPNProtocols: ["h2"], rejectUnauthorized: true });
 * const connection = new ClientConnection(socket, { streamWindow: 256 * 1024, connectionWindow: 4 * 1024 * 1024 });
 * await connection.ready;
 * console.log(`the server accepts ${connection.room} requests at the same time`);
 * connection.retire();
 * ```
 *
 * @module
 */
export { ClientConnection, type ClientConnectionOptions, type EncodedRequest } from "./client-connection.ts";
export { ConnectionError } from "./connection-error.ts";
export { MAX_WINDOW } from "./flow-control.ts";
export { encodeHeaders, type Header } from "./hpack.ts";
export type { OutgoingRequest } from "./outgoing-request.ts";
export type { RequestStream, ResponseHandler } from "./request-stream.ts";
export { type ResponseHeaders, responseHeaders } from "./response-headers.ts";
