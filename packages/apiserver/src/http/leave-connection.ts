import { constants, type Http2ServerRequest } from "node:http2";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";

/** Time in which requests that were already on the wire when GOAWAY was sent are still served, in milliseconds. */
const settleMs = 1000;
/** The greatest stream identifier (RFC 9113 §5.1.1): no request that the client has sent is declared lost. */
const lastStream = 2 ** 31 - 1;

/** Sessions that have been asked already. */
const asked = new WeakSet<object>();

/**
 * Asks the client to make its next request on another connection: `Connection: close` over HTTP/1.1, GOAWAY over HTTP/2
 * (RFC 9113 §6.8: first without a limit, and a second later the end of the session, so that no request is lost). Call
 * it before the head of the response is written. Idempotent.
 */
export function leaveConnection(req: HttpRequest, res: HttpResponse): void {
  if (req.httpVersionMajor === 1) {
    if (!res.headersSent) res.setHeader("connection", "close");
    return;
  }
  const session = (req as unknown as Partial<Http2ServerRequest>).stream?.session;
  if (session === undefined || session.closed || session.destroyed || asked.has(session)) return;
  asked.add(session);
  session.goaway(constants.NGHTTP2_NO_ERROR, lastStream);
  setTimeout(() => session.close(), settleMs).unref();
}
