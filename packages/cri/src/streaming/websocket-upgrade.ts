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
/** Bytes that may wait to be sent before pings are no longer answered: a client that pings without reading would fill the memory. */
const maxBytesBeforePong = 64 * 1024;
/** Time in which the close message reaches a client that has violated the protocol, in milliseconds. */
const lingerMs = 200;

/**
 * Accepts a WebSocket. A request that is none is answered with an error, and its connection closed. Messages are not read before the
 * caller resumes the WebSocket, so that none that came with the request is lost.
 *
 * @param protocol the subprotocol in the spelling of the client; `""` for none
 * @returns undefined if the connection was closed instead
 */
export async function acceptWebSocket(
  { request, socket, head }: Upgrade,
  protocol: string,
): Promise<WebSocket | undefined> {
  // The library closes such a connection without a call of anybody.
  if (!socket.readable || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const webSockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    autoPong: false,
  });
  // "SPDY/3.1+portforward.k8s.io" is not a token (RFC 6455 section 4.1), so that the library would reject a header
  // that stock clients send.
  delete request.headers["sec-websocket-protocol"];
  webSockets.on("headers", (headers) => {
    if (protocol !== "") headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
  });
  return new Promise((resolve) => {
    socket.once("close", () => resolve(undefined));
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      // Bytes that came with the request may violate the protocol before the caller listens. The library waits half a minute for the
      // answer of such a client to its close message.
      webSocket.on("error", () => setTimeout(() => webSocket.terminate(), lingerMs));
      webSocket.on("ping", (data) => {
        if (webSocket.bufferedAmount <= maxBytesBeforePong) webSocket.pong(data, undefined, () => undefined);
      });
      webSocket.pause();
      resolve(webSocket);
    });
  });
}
