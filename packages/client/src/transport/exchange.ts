import type { Readable } from "node:stream";
import type { TransportRequest, TransportResponse } from "./transport.ts";
import type { TransportError } from "./transport-error.ts";

/** A request that was sent, over either version of HTTP. */
export interface Exchange {
  /** Calls back once, when the header of the response has arrived. */
  onResponse(callback: (response: TransportResponse) => void): void;
  /** Calls back when there will be no response, or when the rest of its body is lost; possibly more than once. */
  onFailure(callback: (error: TransportError) => void): void;
  /** Ends the exchange, which then fails with the error. */
  cancel(error: Error): void;
}

/**
 * Resolves with the header of the response. The signal of the request ends the body, too, and so does its timeout
 * unless the response is a stream.
 *
 * @throws TransportError without a response; the signal's reason when it aborts
 */
export function responseTo(
  exchange: Exchange,
  { stream, timeoutMs, signal }: TransportRequest,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let body: Readable | undefined;
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      reject(signal?.reason);
      if (body === undefined) exchange.cancel(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
      else body.destroy();
    };
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    if (timeoutMs > 0) timer = setTimeout(() => exchange.cancel(timedOut(timeoutMs)), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    exchange.onResponse((response) => {
      body = response.body;
      // A watch lasts for minutes; only its beginning is limited.
      if (stream) clearTimeout(timer);
      body.once("close", settle);
      resolve(response);
    });
    exchange.onFailure((error) => {
      settle();
      reject(error);
    });
  });
}

/** The error of a request without a response in time. */
export const timedOut = (timeoutMs: number): Error =>
  Object.assign(new Error(`no response within ${timeoutMs / 1000} s`), { code: "ETIMEDOUT" });
