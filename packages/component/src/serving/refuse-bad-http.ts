import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** How long a rejected client may take to read the response and to close, in milliseconds. */
const LINGER_MS = 5000;

/** The response to each error of the HTTP parser; all others are 400. */
const codes: Readonly<Record<string, number>> = {
  HPE_INVALID_METHOD: 405,
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Responds to bytes that are not valid HTTP, and closes the connection; attach it to the server's `clientError`. The
 * response of Node.js may be lost: it closes while the client is still sending, which resets the connection, and closes
 * again at the next error of the parser.
 *
 * @param lingerMs how long to read what the client still sends. @default 5 s
 */
export function refuseBadHttp(error: { readonly code?: string }, socket: Duplex, lingerMs = LINGER_MS): void {
  if (socket.destroyed || socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const code = codes[error.code ?? ""] ?? 400;
  const body = `${code} ${STATUS_CODES[code] ?? "Bad Request"}\n`;
  socket.end(
    `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? "Bad Request"}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once("close", () => clearTimeout(timer));
}
