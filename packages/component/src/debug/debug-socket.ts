import { once } from "node:events";
import { lstatSync, unlinkSync } from "node:fs";
import { createServer } from "node:http";
import { type HttpRequest, type HttpResponse, type Logger, messageOf } from "@orchernetes/kernel";
import { ConfigurationError } from "../configuration-error.ts";
import { respond } from "../serving/http.ts";

/** The options of a debug socket. */
export interface DebugSocketOptions {
  readonly path: string;
  /** Called in order until one returns true. */
  readonly handlers: readonly ((request: HttpRequest, response: HttpResponse) => boolean | Promise<boolean>)[];
  readonly logger: Logger;
  /** Closes the socket and removes its file. */
  readonly signal: AbortSignal;
}

/** Removes the socket of an earlier process. Any other file with the name stays. */
function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket())
    throw new ConfigurationError([
      `--debug-socket-path: ${JSON.stringify(path)} exists and is no socket; want a free path`,
    ]);
  unlinkSync(path);
}

/**
 * Serves profiles on a unix socket without authentication. Its file can be opened by the user that runs the daemon only.
 * @throws ConfigurationError when the path cannot be listened on
 */
export async function serveDebugSocket({ path, handlers, logger, signal }: DebugSocketOptions): Promise<void> {
  removeStale(path);
  const server = createServer(async (request, response) => {
    try {
      for (const handler of handlers) if (await handler(request, response)) return;
      respond(request, response, 404, { "content-type": "text/plain; charset=utf-8" }, "404 page not found\n");
    } catch (error) {
      logger.error(error, "Debug request failed", { path: request.url });
      respond(request, response, 500, { "content-type": "text/plain; charset=utf-8" }, "internal server error\n");
    }
  });
  // The file is created in the call of listen: with this mask it is never accessible to others, not even for a moment.
  const before = process.umask(0o177);
  const listening = once(server, "listening");
  server.listen({ path });
  process.umask(before);
  try {
    await listening;
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigurationError(
      [`--debug-socket-path: cannot listen on ${JSON.stringify(path)}: ${why}; want a free path that may be written`],
      { cause: error },
    );
  }
  signal.addEventListener(
    "abort",
    () => {
      server.close();
      server.closeAllConnections();
    },
    { once: true },
  );
}
