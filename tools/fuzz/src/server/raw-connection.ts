import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { parseResponse, type RawResponse } from "./response-parser.ts";

/** Where to connect. */
export interface Endpoint {
  readonly port: number;
  /** PEM that verifies the server; absent: no TLS. */
  readonly ca?: Buffer;
}

const CONNECT_MS = 10_000;

/** Opens a connection, with TLS or without. @throws Error when there is none within 10 s */
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
  // Whatever breaks it later is seen as its end.
  socket.on("error", () => undefined);
  return socket;
}

/** What came of sending a request. */
export type Exchange =
  | { readonly type: "answer"; readonly response: RawResponse }
  /** The server closed without an answer. */
  | { readonly type: "closed" }
  /** Nothing came in time. */
  | { readonly type: "silence" };

/** A connection for plain requests, one after the other; opened anew when the server closed it. */
export class RawConnection {
  readonly #endpoint: Endpoint;
  #socket: Socket | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /**
   * Sends bytes and waits for an answer.
   *
   * @param patienceMs how long to wait for the rest of a body whose head has come; the connection is dropped then
   */
  async send(bytes: Buffer, method: string, timeoutMs: number, patienceMs = timeoutMs): Promise<Exchange> {
    if (this.#socket === undefined || this.#socket.destroyed || !this.#socket.writable) {
      this.#socket = await openSocket(this.#endpoint);
    }
    const socket = this.#socket;
    const found = await exchange(socket, bytes, method, timeoutMs, patienceMs);
    const reusable =
      found.type === "answer" &&
      found.response.complete &&
      found.response.status !== 101 &&
      found.response.headers.connection !== "close";
    if (!reusable) this.close();
    return found;
  }

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
  patienceMs: number,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    /** Bytes that must be there before another look is worth it: large bodies come in very many chunks. */
    let wanted = 0;
    let head = false;
    const leave = (): void => {
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose);
    };
    const look = (ended: boolean, late: boolean): void => {
      let response: RawResponse | undefined;
      if (size < wanted && !ended && !late) return;
      const received = Buffer.concat(chunks);
      chunks.splice(0, chunks.length, received);
      try {
        response = parseResponse(received, method, ended);
      } catch (error) {
        leave();
        socket.destroy();
        reject(error);
        return;
      }
      if (response === undefined) {
        if (!ended && !late) return;
        leave();
        resolve({ type: ended ? "closed" : "silence" });
      } else if (response.complete || ended || late) {
        leave();
        resolve({ type: "answer", response });
      } else if (!head) {
        head = true;
        wanted = response.length ?? 0;
        clearTimeout(timer);
        timer = setTimeout(() => look(false, true), patienceMs);
      }
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      look(false, false);
    };
    const onClose = (): void => look(true, false);
    let timer = setTimeout(() => look(false, true), timeoutMs);
    socket.on("data", onData).on("close", onClose);
    socket.write(bytes);
  });
}

/** Sends bytes on a connection of their own, in parts, and gives all that came back until the server closed or fell silent. */
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
      // Only the start matters; a flood of answers is not kept.
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
      setImmediate(next, i + 1);
    };
    next(0);
  });
}
