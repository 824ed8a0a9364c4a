import { connect, type TLSSocket } from "node:tls";

/** The server that a load sends its requests to. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** PEM that verifies the server. */
  readonly ca: string;
  readonly token: string;
}

/** The response to a request; with its body only if that was requested. */
export interface Answer {
  readonly status: number;
  readonly bodyBytes: number;
  readonly body: string;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");

/** Bytes of a request without body. */
export function getRequest({ host, port, token }: Target, path: string): Buffer {
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n\r\n`,
  );
}

/** The bytes of a request with a JSON body. */
export function writeRequest(
  { host, port, token }: Target,
  method: "POST" | "PUT",
  path: string,
  body: string,
): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${token}\r\n`;
  return Buffer.from(
    `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/**
 * A kept-alive HTTP/1.1 connection that needs much less CPU time than Node's client, so that the machine is left to the server. One
 * request at a time. Supports bodies with a Content-Length and chunked ones, which are those of API servers.
 */
export class HttpConnection {
  readonly #socket: TLSSocket;
  #pending: { keep: boolean; resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;
  #buffer: Buffer = Buffer.alloc(0);
  #status = 0;
  /** Bytes of the body, or of the chunk and its line end, that have not arrived; -1 before the head has been read. */
  #left = -1;
  #chunked = false;
  #lastChunk = false;
  #bodyBytes = 0;
  #kept: Buffer[] = [];

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (data: Buffer) => this.#read(data));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  static open({ host, port, ca }: Target): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] }, () =>
        resolve(new HttpConnection(socket)),
      );
      socket.once("error", reject);
    });
  }

  /** Sends a request. @param keep whether to return the body */
  send(request: Buffer, keep = false): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#pending = { keep, resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#pending = undefined;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = undefined;
  }

  #read(data: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? data : Buffer.concat([this.#buffer, data]);
    while (this.#buffer.length > 0) if (!this.#step()) return;
  }

  /** Consumes one element of the buffer; returns false if more bytes are needed. */
  #step(): boolean {
    if (this.#left < 0) return this.#readHead();
    if (this.#left > 0) return this.#readBody();
    return this.#readChunkSize();
  }

  #readHead(): boolean {
    const end = this.#buffer.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = this.#buffer.toString("latin1", 0, end).toLowerCase();
    this.#buffer = this.#buffer.subarray(end + 4);
    this.#status = Number(head.slice(9, 12));
    this.#chunked = head.includes("\r\ntransfer-encoding: chunked");
    this.#lastChunk = false;
    this.#bodyBytes = 0;
    this.#kept = [];
    this.#left = this.#chunked ? 0 : Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
    if (!this.#chunked && this.#left === 0) this.#done();
    return true;
  }

  #readBody(): boolean {
    const part = this.#buffer.subarray(0, this.#left);
    // The two bytes at the end of a chunk are not content.
    const content = this.#chunked ? part.subarray(0, Math.max(0, Math.min(part.length, this.#left - 2))) : part;
    if (!this.#lastChunk) {
      this.#bodyBytes += content.length;
      if (this.#pending?.keep) this.#kept.push(Buffer.from(content));
    }
    this.#left -= part.length;
    this.#buffer = this.#buffer.subarray(part.length);
    if (this.#left === 0 && (!this.#chunked || this.#lastChunk)) this.#done();
    return true;
  }

  #readChunkSize(): boolean {
    const end = this.#buffer.indexOf(LINE_END);
    if (end < 0) return false;
    const size = Number.parseInt(this.#buffer.toString("latin1", 0, end), 16);
    this.#buffer = this.#buffer.subarray(end + 2);
    this.#lastChunk = size === 0;
    this.#left = size + 2;
    return true;
  }

  #done(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#left = -1;
    const body = pending?.keep ? Buffer.concat(this.#kept).toString("utf8") : "";
    this.#kept = [];
    pending?.resolve({ status: this.#status, bodyBytes: this.#bodyBytes, body });
  }
}
