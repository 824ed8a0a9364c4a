import type { PlainServing } from "@orchernetes/component";
import type { HostPort } from "@orchernetes/config";
import type { Clock, HttpHandler, Logger } from "@orchernetes/kernel";
import { serveAt } from "./bind-address.ts";

/** How long to wait before a port is tried again, in milliseconds. */
const RETRY_MS = 5000;

/** A port of the daemon. */
export interface KeptPort {
  /** For log lines, such as `health checks`. */
  readonly name: string;
  readonly address: HostPort;
  readonly handler: HttpHandler;
  /** Whether a port that is taken is an error; otherwise it is tried again until it is free. */
  readonly isRequired: boolean;
  /** Called with each error, before the next try or the end. */
  readonly failed?: (error: unknown) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Serves a port until the signal aborts. Resolves when the port is open, or, unless it is required, has been tried once.
 *
 * @returns a function that resolves when the port is closed, after the signal has aborted
 * @throws ConfigurationError when a required port cannot be listened on
 */
export async function keepListening(port: KeptPort, signal: AbortSignal): Promise<() => Promise<void>> {
  const { name, address, isRequired, failed, clock, logger } = port;
  const listen = async (): Promise<PlainServing | undefined> => {
    try {
      const serving = await serveAt(address, { port: address.port, logger }, port.handler);
      logger.info("Serving", { what: name, address: address.host, port: serving.port });
      return serving;
    } catch (error) {
      failed?.(error);
      if (isRequired) throw error;
      logger.error(error, "Unable to listen", { what: name, retryMs: RETRY_MS });
      return undefined;
    }
  };
  const first = await listen();
  const run = async (): Promise<void> => {
    let serving = first;
    while (serving === undefined && !signal.aborted) {
      await clock.sleep(RETRY_MS, signal).catch(() => undefined);
      if (!signal.aborted) serving = await listen();
    }
    await untilAborted(signal);
    await serving?.close();
  };
  const closed = run();
  return () => closed;
}

/** Resolves when the signal aborts. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
