import { ApiError, type ApiObject } from "@orchernetes/apimachinery";
import { isStatus } from "../transport/body.ts";
import type { Requester } from "../transport/requester.ts";
import { TransportError } from "../transport/transport-error.ts";
import { splitLines } from "./line-splitter.ts";
import type { WatchOptions } from "./options.ts";
import type { WatchEvent } from "./resource-ref.ts";

/** How much longer than `timeoutSeconds` the client waits for the server to end the watch before it does so itself. */
const overtimeMs = 30_000;

/**
 * Opens a watch when iterated and yields its events in the portions in which they arrive, in order. The request is ended
 * however the loop ends.
 *
 * @throws ApiError when the server refuses the watch or reports an error within it; TransportError when the connection
 *   breaks in the middle of an event or cannot be made; the signal's reason when it aborts
 */
export async function* watchBatches<T extends ApiObject>(
  client: Requester,
  path: string,
  options: WatchOptions,
  accept?: string,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  const { signal, ...query } = options;
  const { body } = await client.stream({
    method: "GET",
    path,
    query: { ...query, watch: true },
    ...(accept === undefined ? {} : { accept }),
    ...(signal === undefined ? {} : { signal }),
  });
  const timer =
    options.timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => body.destroy(), options.timeoutSeconds * 1000 + overtimeMs);
  try {
    for await (const lines of splitLines(body)) {
      const events: WatchEvent<T>[] = [];
      for (const line of lines) {
        const event = parseEvent<T>(path, line);
        if (event instanceof Error) {
          // What came before the error still counts.
          if (events.length > 0) yield events;
          throw event;
        }
        events.push(event);
      }
      if (events.length > 0) yield events;
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    // A watch may end at any time; only what the server said about it is an error. Abrupt ends are as good as orderly
    // ones to the reader, who resumes from the last version seen.
    if (error instanceof ApiError || error instanceof TransportError) throw error;
    if (!isConnectionEnd(error)) throw error;
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  if (signal?.aborted) throw signal.reason;
}

/** One event after the other. */
export async function* flatten<E>(batches: AsyncIterable<readonly E[]>): AsyncGenerator<E, void, undefined> {
  for await (const batch of batches) yield* batch;
}

function parseEvent<T extends ApiObject>(path: string, line: string): WatchEvent<T> | Error {
  let event: { readonly type?: unknown; readonly object?: unknown };
  try {
    event = JSON.parse(line);
  } catch (cause) {
    return new TransportError(`watching ${path}: an event is not valid JSON`, { code: "EPROTO", sent: true, cause });
  }
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
    case "BOOKMARK":
      return event as WatchEvent<T>;
    case "ERROR":
      if (isStatus(event.object)) return new ApiError(event.object);
  }
  return new TransportError(`watching ${path}: unknown event type ${JSON.stringify(event.type)}`, {
    code: "EPROTO",
    sent: true,
  });
}

function isConnectionEnd(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE" || code === "EPIPE" || code === "ETIMEDOUT";
}
