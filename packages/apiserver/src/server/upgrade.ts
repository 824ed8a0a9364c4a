import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Writable } from "node:stream";
import type { Status } from "@orchernetes/apimachinery";
import { authenticationChallenge } from "@orchernetes/auth";
import type { HttpResponse } from "@orchernetes/kernel";

/**
 * A response object without effects, for the code that all requests share; handlers of upgrades write to the socket.
 */
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

/** How long a rejected client may take to read its response and to close, in milliseconds. */
const LINGER_MS = 5000;

/** Responds to an upgrade request with an error, then closes the connection. Returns the status code. */
export function refuseUpgrade(socket: Duplex, status: Status, lingerMs = LINGER_MS): number {
  const code = status.code ?? 500;
  // The parser reports another error for the bytes after the first error, whose response is still being sent.
  if (socket.destroyed || socket.writableEnded) return code;
  if (!socket.writable) {
    socket.destroy();
    return code;
  }
  const body = JSON.stringify(status);
  const challenge = code === 401 ? `www-authenticate: ${authenticationChallenge}\r\n` : "";
  socket.end(
    `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? "Error"}\r\ncontent-type: application/json\r\n${challenge}` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  // No other code reads this socket, and a socket that is not read never notices that the other side has closed.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once("close", () => clearTimeout(timer));
  return code;
}

/** Calls back with the status code of the first thing written to a connection, before it is written. */
export function onAnswerHead(socket: Duplex, report: (code: number) => void): void {
  const write = socket.write.bind(socket) as (...args: readonly unknown[]) => boolean;
  socket.write = ((...args: readonly unknown[]): boolean => {
    // Restores the method of the prototype, so that further writes have no overhead.
    Reflect.deleteProperty(socket, "write");
    const [first] = args;
    const start = Buffer.isBuffer(first) ? first.toString("latin1", 0, 16) : String(first);
    const [, code] = /^HTTP\/1\.[01] (\d{3})/.exec(start) ?? [];
    if (code !== undefined) report(Number(code));
    return write(...args);
  }) as Duplex["write"];
}
