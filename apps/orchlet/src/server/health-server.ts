import { createPlainServing, type PlainServing } from "@orchernetes/component";
import type { Clock, HttpHandler, Logger } from "@orchernetes/kernel";

/** Time until a port that is taken is tried again, in milliseconds; the original's. */
const retryMs = 5000;

/**
 * Serves health checks until the signal aborts. As in the original, a port that is taken does not end the agent: it is tried again until
 * it is free. Another program, such as a second agent, may take the port between its choice and the start of the agent.
 *
 * @returns once the port is open, or the first attempt has failed; `close` must be called after the signal has aborted
 */
export async function serveHealthChecks(
  address: { readonly bindAddress: string; readonly port: number },
  handler: HttpHandler,
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<{ close(): Promise<void> }> {
  const listen = async (): Promise<PlainServing | undefined> => {
    try {
      return await createPlainServing({ ...address, logger }, handler);
    } catch (error) {
      logger.error(error, "Failed to start healthz server", { retryInMs: retryMs });
      return undefined;
    }
  };
  let serving = await listen();
  const retry = async (): Promise<void> => {
    while (serving === undefined && !signal.aborted) {
      await clock.sleep(retryMs, signal).catch(() => undefined);
      if (!signal.aborted) serving = await listen();
    }
  };
  const tried = retry();
  return {
    async close() {
      await tried;
      await serving?.close();
    },
  };
}
