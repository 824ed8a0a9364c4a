import type { Writable } from "node:stream";
import { type EventLoop, isGone } from "@orchernetes/kernel";
import type { ChunkPool } from "./chunk-pool.ts";
import type { RequestState } from "./request-state.ts";

/** Chunks per response: one is filled while the other is being sent. */
const CHUNKS = 2;

/** Where chunks come from, and the event loop whose turns they are sent in. */
export interface ChunkSource {
  readonly chunks: ChunkPool;
  readonly loop: EventLoop;
}

/** The client closed its connection; a response cannot be sent. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Resolves when the stream accepts more bytes, or has closed. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done).off("close", done);
      resolve();
    };
    stream.on("drain", done).on("close", done);
    if (isGone(stream) || !stream.writableNeedDrain) done();
  });
}

/**
 * Sends a response of any length at the client's pace from two alternating chunks. A slow client therefore costs 512
 * KiB, however long the response is; and if it stops reading, the producer waits in {@link next} until the request's
 * timeout or the end of the connection.
 */
export class ChunkSender {
  readonly #state: RequestState;
  readonly #pool: ChunkPool;
  readonly #loop: EventLoop;
  readonly #sink: Writable;
  readonly #free: Buffer[] = [];
  #taken = 0;
  #wake: (() => void) | undefined;

  /** @param sink what takes the body: the response, or a compressor into it */
  constructor(state: RequestState, { chunks, loop }: ChunkSource, sink: Writable) {
    this.#state = state;
    this.#pool = chunks;
    this.#loop = loop;
    this.#sink = sink;
    state.res.once("close", () => this.#wake?.());
  }

  /** Returns a chunk to fill, as soon as the client has taken enough of what was sent. @throws ClientGone */
  async next(): Promise<Buffer> {
    // A client that reads fast must not keep other requests waiting.
    if (this.#taken > 0) await this.#loop.nextTurn();
    for (;;) {
      if (this.#state.aborted || isGone(this.#state.res)) throw new ClientGone();
      const free = this.#free.pop();
      if (free !== undefined) return free;
      if (this.#taken < CHUNKS) {
        this.#taken++;
        return this.#pool.take();
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Sends the first `length` bytes of a chunk from {@link next}, which must not be changed any more. */
  send(chunk: Buffer, length: number): void {
    this.#sink.write(chunk.subarray(0, length), (error) => {
      if (!error) this.#free.push(chunk);
      this.#wake?.();
    });
  }

  /** Like {@link send}, for the last chunk. */
  end(chunk: Buffer, length: number): void {
    this.send(chunk, length);
    // Separate from the last write: Node.js would copy the chunk to send it together with the end.
    this.#sink.end((error?: Error | null) => {
      if (error) return;
      for (const free of this.#free) this.#pool.give(free);
    });
  }
}
