import type { Writable } from "node:stream";
import { chunkBytes } from "./chunk-pool.ts";
import { ChunkSender, type ChunkSource } from "./chunk-sender.ts";
import type { AnswerLength } from "./compress.ts";
import type { RequestState } from "./request-state.ts";

/** Writes a long response whose length is not known, part by part at the client's pace. */
export class ChunkWriter {
  readonly #state: RequestState;
  readonly #source: ChunkSource;
  readonly #open: (length: AnswerLength) => Writable;
  #sender: ChunkSender | undefined;
  #chunk: Buffer;
  #used = 0;
  #sent = 0;

  /**
   * @param open writes the head of the response when the first chunk is full or the response complete, and returns the
   *   stream for the body; what is known of the length by then decides about compression
   */
  constructor(state: RequestState, source: ChunkSource, open: (length: AnswerLength) => Writable) {
    this.#state = state;
    this.#source = source;
    this.#open = open;
    this.#chunk = source.chunks.take();
  }

  /** Adds text or bytes. Returns a promise if the client has to catch up first. @throws ClientGone */
  add(part: string | Buffer): void | Promise<void> {
    if (typeof part !== "string") return this.#addLong(part);
    // A UTF-16 code unit has at most three bytes in UTF-8.
    if (part.length * 3 <= chunkBytes - this.#used) {
      this.#used += this.#chunk.write(part, this.#used);
      return;
    }
    return this.#addLong(Buffer.from(part));
  }

  async #addLong(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const copied = bytes.copy(this.#chunk, this.#used, from);
      this.#used += copied;
      from += copied;
      if (this.#used === chunkBytes) await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    this.#sender ??= new ChunkSender(this.#state, this.#source, this.#open({ atLeast: this.#used }));
    this.#sender.send(this.#chunk, this.#used);
    this.#sent += this.#used;
    this.#used = 0;
    this.#chunk = await this.#sender.next();
  }

  /** Sends the rest and ends the response. */
  end(): void {
    this.#sender ??= new ChunkSender(this.#state, this.#source, this.#open({ exactly: this.#used }));
    this.#sender.end(this.#chunk, this.#used);
    this.#state.responseBytes = this.#sent + this.#used;
  }
}
