import { connect, type TLSSocket } from "node:tls";

/** Where a load goes. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** PEM that verifies the server. */
  readonly ca: string;
  readonly token: string;
}

/** The answer to a request: its body only when it was asked for. */
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

/** Bytes of a request with a JSON body. */
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
 * A kept-alive HTTP/1.1 connection that costs far less than Node's own client, so that the load leaves the machine to the
 * server. One request at a time. Understands bodies with a length and chunked ones: what an API server sends.
 */
export class HttpConnection {
  readonly #socket: TLSSocket;
  #pending: { keep: boolean; resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;
  #buffer: Buffer = Buffer.alloc(0);
  #status = 0;
  /** Body bytes still to come; -1 before the head was read; in a chunked body, of this chunk and its line end. */
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

  /** @param keep whether the answer's body is wanted */
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

  /** Takes one piece off the buffer; false when more bytes are needed. */
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
    // The two bytes that end a chunk are no content.
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
