import { type ApiObject, DecodeError, type ListMeta, type Stored } from "@orchernetes/apimachinery";
import type { BodyFormat, ListReader } from "../transport/body-format.ts";
import type { RawRequest, Requester } from "../transport/requester.ts";
import { TransportError } from "../transport/transport-error.ts";
import { ListSplitter } from "./list-splitter.ts";

/** Milliseconds without a byte after which the rest of a list counts as lost. */
const silenceMs = 65_000;

/** The GET of a list. */
type ListRequest = Pick<RawRequest, "path" | "query" | "accept" | "signal">;

/**
 * Reads a list item by item while it arrives. A server may answer with a whole collection whatever the limit (`resourceVersion=0`): of
 * 50,000 pods the text alone is 140 MB, which would be there twice beside all the parsed objects, and parsing it would hold the
 * process up for seconds.
 *
 * @param onItem called with each item, in order; what it throws ends the list and is thrown
 * @returns the list's metadata
 * @throws ApiError for a status code of at least 400; TransportError without a complete list; the signal's reason
 */
export async function readList<T extends ApiObject>(
  client: Requester,
  request: ListRequest,
  onItem: (item: Stored<T>) => void,
): Promise<ListMeta> {
  const { path, signal } = request;
  const lost = (reason: string, code: string, cause?: unknown): TransportError =>
    new TransportError(`GET ${path}: ${reason}`, { code, sent: true, cause });
  const { body, headers, format } = await client.stream({ method: "GET", ...request });
  const timer = setTimeout(() => body.destroy(lost(`no data for ${silenceMs / 1000} s`, "ETIMEDOUT")), silenceMs);
  const reader = (format ?? json).list((item) => onItem(item as Stored<T>));
  const write = (chunk: Buffer): void => {
    try {
      reader.write(chunk);
    } catch (cause) {
      const isMalformed = cause instanceof SyntaxError || cause instanceof RangeError || cause instanceof DecodeError;
      if (!isMalformed) throw cause;
      throw lost(`the response is no list: ${cause.message}`, "EPROTO", cause);
    }
  };
  try {
    if (format === undefined && headers["content-type"]?.includes("json") !== true)
      throw lost(`the response is ${headers["content-type"] ?? "of no type"}, not JSON`, "EPROTO");
    for await (const chunk of body) {
      timer.refresh();
      write(chunk as Buffer);
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof Error && "code" in error && !(error instanceof TransportError))
      throw lost("the connection ended before the list did", "ECONNRESET", error);
    throw error;
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  if (signal?.aborted) throw signal.reason;
  return metadataOf(reader, lost);
}

/** Lists as JSON. */
const json: Pick<BodyFormat, "list"> = {
  list(onItem) {
    const splitter = new ListSplitter((text) => onItem(JSON.parse(text)));
    return {
      write: (chunk) => splitter.write(chunk),
      end: () => envelopeOf(splitter.end()).metadata ?? {},
    };
  },
};

/** A list without its items. */
function envelopeOf(text: string): { readonly metadata?: ListMeta } {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DecodeError("not valid JSON", "", { cause });
  }
}

function metadataOf(reader: ListReader, lost: (reason: string, code: string, cause: unknown) => Error): ListMeta {
  try {
    return reader.end();
  } catch (cause) {
    if (cause instanceof DecodeError) throw lost(`the response is no list: ${cause.message}`, "EPROTO", cause);
    throw lost("the connection ended before the list did", "ECONNRESET", cause);
  }
}
