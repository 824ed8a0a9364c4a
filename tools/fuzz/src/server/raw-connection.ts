import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { parseResponse, type RawResponse } from "./response-parser.ts";

/** The address of a server on this machine. */
export interface Endpoint {
  readonly port: number;
  /** PEM certificates that verify the server. Absent: no TLS. */
  readonly ca?: Buffer;
}

const CONNECT_MS = 10_000;

/**
 * Opens a connection, with TLS or without.
 * @throws Error when there is none within 10 s
 */
async function openSocket({ port, ca }: Endpoint, alpn = "http/1.1"): Promise<Socket> {
  const signal = AbortSignal.timeout(CONNECT_MS);
  if (ca === undefined) {
    const socket = connectPlain({ host: "127.0.0.1", port });
    return await opened(socket, "connect", signal);
  }
  const socket = connectTls({ host: "127.0.0.1", port, ca, ALPNProtocols: [alpn] });
  return await opened(socket, "secureConnect", signal);
}

async function opened(socket: Socket, event: string, signal: AbortSignal): Promise<Socket> {
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  // A later error is noticed by the close event that follows it.
  socket.on("error", () => undefined);
  return socket;
}

/** The result of sending a request. */
export type Exchange =
  | { readonly type: "response"; readonly response: RawResponse }
  /** The server closed the connection without a response. */
  | { readonly type: "closed" }
  /** No response head came in time. */
  | { readonly type: "silence" };

/** A connection for plain requests, one after the other. Reconnects when the server has closed it. */
export class RawConnection {
  readonly #endpoint: Endpoint;
  #socket: Socket | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /**
   * Sends bytes and waits for a response.
   *
   * @param timeoutMs - how long to wait for the response head
   * @param bodyTimeoutMs - how long to wait for the body after the head; the connection is closed then
   * @throws Error when it cannot connect, or for bytes that are not HTTP/1.1
   */
  async send(bytes: Buffer, method: string, timeoutMs: number, bodyTimeoutMs = timeoutMs): Promise<Exchange> {
    if (this.#socket === undefined || this.#socket.destroyed || !this.#socket.writable) {
      this.#socket = await openSocket(this.#endpoint);
    }
    const socket = this.#socket;
    const found = await exchange(socket, bytes, method, timeoutMs, bodyTimeoutMs);
    const reusable =
      found.type === "response" &&
      found.response.complete &&
      found.response.status !== 101 &&
      found.response.headers.connection !== "close";
    if (!reusable) this.close();
    return found;
  }

  /** Closes the connection; the next request opens another. */
  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

function exchange(
  socket: Socket,
  bytes: Buffer,
  method: string,
  timeoutMs: number,
  bodyTimeoutMs: number,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    /**
     * Bytes that must have come before parsing again: large bodies come in very many chunks, and each parse copies
     * all of them.
     */
    let wanted = 0;
    let head = false;
    const stopListening = (): void => {
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose);
    };
    const readResponse = (ended: boolean, late: boolean): void => {
      let response: RawResponse | undefined;
      if (size < wanted && !ended && !late) return;
      const received = Buffer.concat(chunks);
      chunks.splice(0, chunks.length, received);
      try {
        response = parseResponse(received, method, ended);
      } catch (error) {
        stopListening();
        socket.destroy();
        reject(error);
        return;
      }
      if (response === undefined) {
        if (!ended && !late) return;
        stopListening();
        resolve({ type: ended ? "closed" : "silence" });
      } else if (response.complete || ended || late) {
        stopListening();
        resolve({ type: "response", response });
      } else if (!head) {
        head = true;
        wanted = response.length ?? 0;
        clearTimeout(timer);
        timer = setTimeout(() => readResponse(false, true), bodyTimeoutMs);
      }
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      readResponse(false, false);
    };
    const onClose = (): void => readResponse(true, false);
    let timer = setTimeout(() => readResponse(false, true), timeoutMs);
    socket.on("data", onData).on("close", onClose);
    socket.write(bytes);
  });
}

/**
 * Sends bytes on a connection of their own, in parts. Returns what came back until the server closed the connection
 * or was silent for the given time, at most about the first megabyte.
 */
export async function sendRaw(
  endpoint: Endpoint,
  parts: readonly Buffer[],
  alpn: string,
  silenceMs: number,
): Promise<Buffer> {
  const socket = await openSocket(endpoint, alpn);
  const chunks: Buffer[] = [];
  let size = 0;
  return await new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    let timer = setTimeout(done, silenceMs);
    socket.on("data", (chunk: Buffer) => {
      // Only the start matters; a flood of responses is not kept.
      if (size < 1_000_000) chunks.push(chunk);
      size += chunk.length;
      clearTimeout(timer);
      timer = setTimeout(done, silenceMs);
    });
    socket.once("close", done);
    const next = (i: number): void => {
      const part = parts[i];
      if (part === undefined || socket.destroyed) return;
      socket.write(part);
      // The server gets the parts as separate reads: its parser must cope with a message that ends anywhere.
      setImmediate(next, i + 1);
    };
    next(0);
  });
}
