import dgram from "node:dgram";
import net from "node:net";
import type { Clock } from "@orchernetes/kernel";
import { frameOf, LengthFrames } from "../transport/length-frames.ts";

/** Address of an upstream server. */
export interface UpstreamAddress {
  readonly address: string;
  readonly port: number;
}

/** One query to an upstream server. */
export interface Exchange<T> {
  readonly upstream: UpstreamAddress;
  readonly message: Buffer;
  /** Reads a packet; undefined if it is no answer to the message, which is then ignored. Errors end the exchange. */
  readonly accept: (packet: Buffer) => T | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Why an exchange gave no answer. */
export class ExchangeError extends Error {
  override name = "ExchangeError";
  readonly reason: "timeout" | "network" | "malformed" | "flooded" | "aborted";

  constructor(reason: ExchangeError["reason"], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Number of packets that are no answer after which the exchange ends: an attacker may be guessing ids (RFC 5452, section 9.1). */
const MAX_WRONG_PACKETS = 64;

/**
 * Sends a message over UDP and waits for the answer. Each exchange has a socket of its own, so that the system chooses a
 * random port, and takes packets of this server's address and port alone.
 *
 * @throws ExchangeError
 */
export function exchangeOverUdp<T>(exchange: Exchange<T>): Promise<T> {
  const { upstream, message, accept, signal } = exchange;
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket(net.isIP(upstream.address) === 6 ? "udp6" : "udp4");
    const end = startExchange(exchange, () => socket.close(), reject);
    if (signal.aborted) return end(new ExchangeError("aborted", "The server stops"));
    let wrong = 0;
    socket.on("error", (error) => end(new ExchangeError("network", `Cannot reach ${upstream.address}`, error)));
    socket.on("message", (packet) => {
      try {
        const accepted = accept(packet);
        if (accepted !== undefined) {
          end();
          resolve(accepted);
        } else if (++wrong >= MAX_WRONG_PACKETS) {
          end(new ExchangeError("flooded", `${wrong} packets from ${upstream.address} answered other questions`));
        }
      } catch (error) {
        end(new ExchangeError("malformed", `The answer of ${upstream.address} cannot be read`, error));
      }
    });
    socket.connect(upstream.port, upstream.address, () => socket.send(message));
  });
}

/**
 * Sends a message over a TCP connection of its own and waits for the answer.
 *
 * @throws ExchangeError
 */
export function exchangeOverTcp<T>(exchange: Exchange<T>): Promise<T> {
  const { upstream, message, accept, signal } = exchange;
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: upstream.address, port: upstream.port, noDelay: true });
    const end = startExchange(exchange, () => socket.destroy(), reject);
    if (signal.aborted) return end(new ExchangeError("aborted", "The server stops"));
    const frames = new LengthFrames();
    socket.on("error", (error) => end(new ExchangeError("network", `Cannot reach ${upstream.address}`, error)));
    socket.on("close", () => end(new ExchangeError("network", `${upstream.address} closed the connection`)));
    socket.on("data", (chunk: Buffer) => {
      try {
        const [packet] = frames.push(chunk);
        const accepted = packet === undefined ? undefined : accept(packet);
        if (packet === undefined) return;
        if (accepted === undefined) {
          return end(new ExchangeError("flooded", `${upstream.address} answered another question`));
        }
        end();
        resolve(accepted);
      } catch (error) {
        end(new ExchangeError("malformed", `The answer of ${upstream.address} cannot be read`, error));
      }
    });
    socket.write(frameOf(message));
  });
}

/** Starts the time limit. Returns a function that ends the exchange once, with an error if there is one. */
function startExchange<T>(
  { clock, timeoutMs, signal, upstream }: Exchange<T>,
  close: () => void,
  reject: (error: ExchangeError) => void,
): (error?: ExchangeError) => void {
  let ended = false;
  const end = (error?: ExchangeError) => {
    if (ended) return;
    ended = true;
    timer.clear();
    signal.removeEventListener("abort", onAbort);
    close();
    if (error !== undefined) reject(error);
  };
  const onAbort = () => end(new ExchangeError("aborted", "The server stops"));
  const timer = clock.setTimeout(
    () => end(new ExchangeError("timeout", `${upstream.address} did not answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  signal.addEventListener("abort", onAbort, { once: true });
  return end;
}
