import type { ListMeta } from "@orchernetes/apimachinery";

/** An event of a watch as it was read; its parts are not checked yet. */
export interface RawEvent {
  readonly type?: unknown;
  readonly object?: unknown;
}

/** Reads a list while it arrives. */
export interface ListReader {
  /** Takes the next bytes. @throws DecodeError, RangeError for what is too long */
  write(chunk: Buffer): void;
  /** The metadata of the list, once its last bytes were written. @throws SyntaxError if the list is not complete */
  end(): ListMeta;
}

/** How bodies of another media type than JSON are read. The results are those that the same bodies have in JSON. */
export interface BodyFormat {
  /** Its name in errors. */
  readonly name: string;
  /** Reads a whole body: an object, a list or a Status. @throws DecodeError */
  object(bytes: Buffer): unknown;
  /** Reads a list item by item. @param onItem called with each item, in order; what it throws, `write` throws */
  list(onItem: (item: unknown) => void): ListReader;
  /**
   * Splits a watch into events, in batches as they arrive. What cannot be read is an error in place of the event, and ends the
   * stream; an incomplete last event is dropped.
   */
  events(source: AsyncIterable<Buffer>): AsyncIterable<readonly (RawEvent | Error)[]>;
}
