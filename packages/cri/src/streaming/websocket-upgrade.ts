import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** A connection to be upgraded. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Bytes of a message of a client. */
const maxMessageBytes = 32 * 1024 * 1024;

/**
 * Accepts a WebSocket. A request that is none is answered with an error, and its connection closed.
 *
 * @param protocol the subprotocol in the spelling of the client; `""` for none
 * @returns undefined if the connection was closed instead
 */
export async function acceptWebSocket(
  { request, socket, head }: Upgrade,
  protocol: string,
): Promise<WebSocket | undefined> {
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: maxMessageBytes });
  // "SPDY/3.1+portforward.k8s.io" is not a token (RFC 6455 section 4.1), so that the library would reject a header
  // that stock clients send.
  delete request.headers["sec-websocket-protocol"];
  webSockets.on("headers", (headers) => {
    if (protocol !== "") headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
  });
  return new Promise((resolve) => {
    socket.once("close", () => resolve(undefined));
    webSockets.handleUpgrade(request, socket, head, resolve);
  });
}
