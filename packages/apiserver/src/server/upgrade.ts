import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Writable } from "node:stream";
import type { Status } from "@orchernetes/apimachinery";
import type { HttpResponse } from "@orchernetes/kernel";

/** Represents the response of an upgrade request; handlers write to the socket instead. */
export class UpgradeResponse extends Writable implements HttpResponse {
  statusCode = 101;
  readonly headersSent = false;

  constructor(socket: Duplex) {
    super({ write: (_chunk, _encoding, callback) => callback() });
    socket.once("close", () => this.destroy());
  }

  setHeader(): this {
    return this;
  }

  getHeader(): undefined {
    return undefined;
  }

  removeHeader(): void {}

  writeHead(): this {
    return this;
  }

  flushHeaders(): void {}
}

/** How long a refused client may take to read its answer and to close. */
const LINGER_MS = 5000;

/** Answers an upgrade request with a plain error, then closes. Gives the status code. */
export function refuseUpgrade(socket: Duplex, status: Status, lingerMs = LINGER_MS): number {
  const code = status.code ?? 500;
  // The parser complains again of what comes after its first complaint; that one's answer is still on its way.
  if (socket.destroyed || socket.writableEnded) return code;
  if (!socket.writable) {
    socket.destroy();
    return code;
  }
  const body = JSON.stringify(status);
  socket.end(
    `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? "Error"}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  // No other code reads any more, and a socket that is not read never notices that the other side has closed.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once("close", () => clearTimeout(timer));
  return code;
}
