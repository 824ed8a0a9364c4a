import { constants, type Http2ServerRequest } from "node:http2";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";

/** Requests that are already on the wire when GOAWAY arrives are still served within this time. */
const settleMs = 1000;
/** The greatest stream number: nothing that the client has sent is lost. */
const lastStream = 2 ** 31 - 1;

const told = new WeakSet<object>();

/**
 * Asks the client to make its next request on another connection: `Connection: close` over HTTP/1.1, GOAWAY over HTTP/2
 * (RFC 9113 §6.8: first without a limit, and a second later the end of the session, so that no request is lost). Call it
 * before the answer's head is written.
 */
export function leaveConnection(req: HttpRequest, res: HttpResponse): void {
  if (req.httpVersionMajor === 1) {
    if (!res.headersSent) res.setHeader("connection", "close");
    return;
  }
  const session = (req as unknown as Partial<Http2ServerRequest>).stream?.session;
  if (session === undefined || session.closed || session.destroyed || told.has(session)) return;
  told.add(session);
  session.goaway(constants.NGHTTP2_NO_ERROR, lastStream);
  setTimeout(() => session.close(), settleMs).unref();
}
