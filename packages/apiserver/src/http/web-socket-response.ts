import { STATUS_CODES } from "node:http";
import { type Duplex, Writable } from "node:stream";
import { badRequest } from "@orchernetes/apimachinery";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { acceptKey, ClientFrames, messageFrame, opcodes } from "./web-socket-frames.ts";

/** How the bytes of a response are split into messages. */
export type Messages =
  /** One message for each event of a watch. */
  | "events"
  /** A message per chunk, after an empty one; in base64 if the client requests it. */
  | "bytes";

const base64 = new Set(["base64.binary.o8s.io", "base64.binary.k8s.io"]);
const binary = new Set(["binary.o8s.io", "binary.k8s.io"]);
/** A bearer token: never select it as the subprotocol, and never show it. */
const bearer = /^base64url\.bearer\.authorization\./;

/** Close code of a normal closure. */
const closeFrame = messageFrame(opcodes.close, Buffer.of(0x03, 0xe8));

/** Whether a request asks for a WebSocket. */
export function asksForWebSocket({ method, headers }: HttpRequest): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

/** The selected subprotocol; "" when the client names none. @throws ApiError BadRequest */
function protocolOf({ headers }: HttpRequest, messages: Messages): string {
  const asked = (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !bearer.test(name));
  if (asked.length === 0) return "";
  const [first = ""] = asked;
  if (messages === "events") return first;
  const known = asked.find((name) => base64.has(name) || binary.has(name));
  if (known !== undefined) return known;
  throw badRequest(
    `requested protocol(s) are not supported: [${asked.join(" ")}]; supports [${[...binary, ...base64].join(" ")}]`,
  );
}

/**
 * An HTTP response over a WebSocket: what a handler writes is sent to the client in messages. An unsuccessful response is plain
 * HTTP. Frames from the client other than pings and closes are ignored.
 */
export class WebSocketResponse extends Writable implements HttpResponse {
  statusCode = 200;
  headersSent = false;
  readonly #socket: Duplex;
  readonly #messages: Messages;
  readonly #key: string;
  readonly #protocol: string;
  readonly #headers = new Map<string, number | string | readonly string[]>();
  /** Undefined before the headers are sent, and for responses in plain HTTP. */
  #frame: ((chunk: Buffer) => Buffer) | undefined;

  /** @throws ApiError BadRequest for an unsupported handshake */
  constructor(request: HttpRequest, socket: Duplex, messages: Messages) {
    super();
    const key = request.headers["sec-websocket-key"];
    if (request.headers["sec-websocket-version"] !== "13" || key === undefined || !/^[A-Za-z0-9+/]{22}==$/.test(key)) {
      throw badRequest(
        "a WebSocket handshake needs Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key of 16 bytes in base64",
      );
    }
    this.#protocol = protocolOf(request, messages);
    this.#key = key;
    this.#socket = socket;
    this.#messages = messages;
    socket.once("close", () => this.destroy());
  }

  setHeader(name: string, value: number | string | readonly string[]): this {
    this.#headers.set(name.toLowerCase(), value);
    return this;
  }

  getHeader(name: string): number | string | string[] | undefined {
    const value = this.#headers.get(name.toLowerCase());
    return typeof value === "object" ? [...value] : value;
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
  }

  writeHead(statusCode: number, headers: Readonly<Record<string, number | string | string[]>> = {}): this {
    if (this.headersSent) return this;
    this.headersSent = true;
    this.statusCode = statusCode;
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    if (statusCode >= 200 && statusCode < 300) this.#begin();
    else this.#refuse(statusCode);
    return this;
  }

  #begin(): void {
    const lines = [
      "HTTP/1.1 101 Switching Protocols",
      "upgrade: websocket",
      "connection: Upgrade",
      `sec-websocket-accept: ${acceptKey(this.#key)}`,
      ...(this.#protocol === "" ? [] : [`sec-websocket-protocol: ${this.#protocol}`]),
      ...this.#warnings(),
    ];
    this.#socket.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
    this.#frame =
      this.#messages === "events" ? eventFrames(this.getHeader("content-type")) : byteFrames(this.#protocol);
    if (this.#messages === "bytes") this.#socket.write(this.#frame(Buffer.alloc(0)));
    const client = new ClientFrames();
    this.#socket.on("data", (chunk: Buffer) => {
      for (const signal of client.read(chunk)) {
        // A client that does not read its pongs gets no further ones, as each would be kept in memory until it does.
        if (signal.type === "ping") {
          if (!this.#socket.writableNeedDrain) this.#socket.write(messageFrame(opcodes.pong, signal.payload));
        } else if (signal.type === "close") this.#socket.end(closeFrame, () => this.destroy());
        else this.destroy();
      }
    });
    this.#socket.resume();
  }

  #warnings(): readonly string[] {
    const warning = this.getHeader("warning");
    const all = warning === undefined ? [] : Array.isArray(warning) ? warning : [String(warning)];
    return all.map((one) => `warning: ${one}`);
  }

  #refuse(statusCode: number): void {
    const lines = [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? "Error"}`, "connection: close"];
    const type = this.getHeader("content-type");
    if (type !== undefined) lines.push(`content-type: ${String(type)}`);
    this.#socket.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
    const bytes = this.#frame === undefined ? chunk : this.#frame(chunk);
    if (this.#socket.write(bytes)) done();
    else this.#socket.once("drain", () => done());
  }

  override _final(done: () => void): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
    // Until everything is sent: this stream is destroyed as soon as it is done, and the socket with it.
    if (this.#socket.writableEnded) done();
    else if (this.#frame === undefined) this.#socket.end(() => done());
    else this.#socket.end(closeFrame, () => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

function byteFrames(protocol: string): (chunk: Buffer) => Buffer {
  return base64.has(protocol)
    ? (chunk) => messageFrame(opcodes.text, Buffer.from(chunk.toString("base64")))
    : (chunk) => messageFrame(opcodes.binary, chunk);
}

/** Splits a chunk of a watch, which holds complete events: lines of JSON, or length-prefixed protobuf messages. */
function eventFrames(type: unknown): (chunk: Buffer) => Buffer {
  const isText = String(type ?? "").startsWith("application/json");
  return (chunk) => {
    const frames: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      const end = isText ? lineEnd(chunk, at) : at + 4 + chunk.readUInt32BE(at);
      frames.push(messageFrame(isText ? opcodes.text : opcodes.binary, chunk.subarray(isText ? at : at + 4, end)));
      at = end;
    }
    return Buffer.concat(frames);
  };
}

function lineEnd(chunk: Buffer, from: number): number {
  const end = chunk.indexOf(0x0a, from);
  return end === -1 ? chunk.length : end + 1;
}
