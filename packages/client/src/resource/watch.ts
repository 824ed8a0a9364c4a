import { ApiError, type ApiObject } from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";
import { isStatus } from "../transport/body.ts";
import type { RawEvent } from "../transport/body-format.ts";
import type { Requester } from "../transport/requester.ts";
import { TransportError } from "../transport/transport-error.ts";
import { splitLines } from "./line-splitter.ts";
import type { WatchOptions } from "./options.ts";
import type { WatchEvent } from "./resource-ref.ts";

/**
 * Milliseconds beyond `timeoutSeconds` after which the client ends the watch if the server has not. A server that
 * hangs keeps the connection open and sends nothing, which looks like a resource that does not change.
 */
const overtimeMs = 30_000;

/**
 * Opens a watch when it is iterated and yields its events in order, in batches as they arrive. The request is aborted when the
 * loop ends for any reason.
 *
 * @throws ApiError when the server rejects the watch or reports an error within it; TransportError when the connection
 *   breaks in the middle of an event or cannot be made; the signal's reason when it aborts
 */
export async function* watchBatches<T extends ApiObject>(
  client: Requester,
  path: string,
  options: WatchOptions,
  accept?: string,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  const { signal, ...query } = options;
  const { body, format } = await client.stream({
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
    const batches: AsyncIterable<readonly (string | RawEvent | Error)[]> = format?.events(body) ?? splitLines(body);
    for await (const batch of batches) {
      const events: WatchEvent<T>[] = [];
      for (const item of batch) {
        const event = eventOf<T>(path, typeof item === "string" ? parsed(item) : item);
        if (event instanceof Error) {
          // Events before the error are valid.
          if (events.length > 0) yield events;
          throw event;
        }
        events.push(event);
      }
      if (events.length > 0) yield events;
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    // A watch may end at any time; only an error that the server reports is an error. A broken connection and a
    // regular end are the same for the reader, which resumes from the last version that it has seen.
    if (error instanceof ApiError || error instanceof TransportError) throw error;
    if (!isConnectionEnd(error)) throw error;
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  if (signal?.aborted) throw signal.reason;
}

/** Yields the events one by one. Ending the loop ends the batches. */
export async function* flatten<E>(batches: AsyncIterable<readonly E[]>): AsyncGenerator<E, void, undefined> {
  for await (const batch of batches) yield* batch;
}

function parsed(line: string): RawEvent | Error {
  try {
    return JSON.parse(line);
  } catch (cause) {
    return new SyntaxError("not valid JSON", { cause });
  }
}

/** The event, or the error that ends the watch. */
function eventOf<T extends ApiObject>(path: string, event: RawEvent | Error): WatchEvent<T> | Error {
  if (event instanceof Error) {
    const message = `watching ${path}: an event cannot be read: ${messageOf(event)}`;
    return new TransportError(message, { code: "EPROTO", sent: true, cause: event });
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

const connectionEnds: ReadonlySet<string> = new Set(["ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "EPIPE", "ETIMEDOUT"]);

function isConnectionEnd(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && (connectionEnds.has(code) || code.startsWith("ERR_HTTP2_"));
}
