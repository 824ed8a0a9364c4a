import type { RequestStream } from "./request-stream.ts";

/** The last stream id that a connection uses, before the ids are exhausted at 2^31. */
const LAST_STREAM = 2 ** 30;

/** The requests in flight on a connection, by the ids of their streams. */
export class StreamTable {
  readonly #streams = new Map<number, RequestStream>();
  #nextId = 1;

  /** Number of requests in flight. */
  get size(): number {
    return this.#streams.size;
  }

  /** Whether there can be no further stream. */
  get isExhausted(): boolean {
    return this.#nextId > LAST_STREAM;
  }

  /** The id of the next stream. */
  takeId(): number {
    const id = this.#nextId;
    this.#nextId += 2;
    return id;
  }

  add(stream: RequestStream): void {
    this.#streams.set(stream.id, stream);
  }

  /** A request in flight; undefined if it has ended: what the server had sent by then still arrives. @throws RangeError if it never began */
  get(id: number): RequestStream | undefined {
    const stream = this.#streams.get(id);
    if (stream === undefined && (id >= this.#nextId || id % 2 === 0))
      throw new RangeError(`a frame of stream ${id}, which was not opened`);
    return stream;
  }

  remove(stream: RequestStream): void {
    this.#streams.delete(stream.id);
  }

  values(): IterableIterator<RequestStream> {
    return this.#streams.values();
  }

  /** The requests in flight that began after a stream. */
  after(id: number): readonly RequestStream[] {
    return [...this.#streams.values()].filter((stream) => stream.id > id);
  }

  /** Removes all, and returns them. */
  clear(): readonly RequestStream[] {
    const all = [...this.#streams.values()];
    this.#streams.clear();
    return all;
  }
}
