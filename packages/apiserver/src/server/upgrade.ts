import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Writable } from "node:stream";
import type { Status } from "@orchernetes/apimachinery";
import type { HttpResponse } from "../interfaces/index.ts";

/** Stands for the response of an upgrade request; handlers write to the socket instead. */
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

/** Answers an upgrade request with a plain error, then closes. Gives the status code. */
export function refuseUpgrade(socket: Duplex, status: Status): number {
  const code = status.code ?? 500;
  if (socket.destroyed || !socket.writable) return code;
  const body = JSON.stringify(status);
  socket.end(
    `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? "Error"}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  return code;
}
