import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { type Dialer, type DialTarget, targetText } from "@orchernetes/kernel";

/** Time for a TLS handshake with a target, in milliseconds. */
const HANDSHAKE_MS = 10_000;

/**
 * Opens a connection by a dialer, and TLS with the target over it. The certificate of the target is checked against `servername`, or, if it
 * is not set, against the host of the target.
 *
 * @throws Error if the connection fails or the handshake takes longer than 10 s; the reason of the signal if it aborts
 */
export async function dialTls(
  dial: Dialer,
  target: DialTarget,
  options: ConnectionOptions,
  signal?: AbortSignal,
): Promise<TLSSocket> {
  const raw = await dial(target, signal);
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`no TLS handshake with ${targetText(target)} within ${HANDSHAKE_MS} ms`)),
    HANDSHAKE_MS,
  );
  try {
    const socket = connectTls({ ...options, host: target.host, port: target.port, socket: raw });
    // When one of the two sockets closes, the other is closed as well.
    raw.once("close", () => socket.destroy());
    socket.once("close", () => raw.destroy());
    return await secured(socket, signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the handshake. @throws Error, or the reason of the signal if it aborts */
export function secured(socket: TLSSocket, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const abort = () => socket.destroy(signal.reason);
    const settle = () => signal.removeEventListener("abort", abort);
    socket.once("error", reject);
    socket.once("close", () => {
      settle();
      reject(new Error("the connection was closed before the TLS handshake was done"));
    });
    socket.once("secureConnect", () => {
      settle();
      resolve(socket);
    });
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
