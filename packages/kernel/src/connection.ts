import type { Http2ServerRequest, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** One connection of a client: the socket of HTTP/1.1, or the session of HTTP/2 with all its requests. */
export type Connection = Socket | ServerHttp2Session;

/** The part of a request by which its connection is found. */
export interface OnConnection {
  readonly socket: Socket;
}

const sessionOf = (request: OnConnection): ServerHttp2Session | undefined =>
  (request as Partial<Pick<Http2ServerRequest, "stream">>).stream?.session as ServerHttp2Session | undefined;

/** The connection of a request: the same object for all requests on it, so that data can be cached per connection. */
export const connectionOf = (request: OnConnection): Connection => sessionOf(request) ?? request.socket;

/** The TLS socket of a request; over HTTP/2 a proxy of the session's socket with the same methods. */
export const tlsSocketOf = (request: OnConnection): TLSSocket =>
  (sessionOf(request)?.socket ?? request.socket) as TLSSocket;
