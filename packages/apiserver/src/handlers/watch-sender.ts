import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { type HttpResponse, isGone } from "@orchernetes/kernel";
import type { CacheEvent, Watcher } from "@orchernetes/storage";
import type { WatchCounts } from "../interfaces/index.ts";
import type { WatchEncoder } from "./watch-encoder.ts";
import type { WatchPacer } from "./watch-pacer.ts";

const lineEnd = Buffer.from("\r\n");

interface Batch {
  readonly events: readonly CacheEvent[];
  readonly bytes: Buffer;
}

/**
 * The last batch of encoded events for each form of stream. Watchers with the same selection gather the same events in
 * a round, so one buffer serves all of them: with it, joining frames costs once per round and not once per watch.
 */
export class SharedBatches {
  readonly #last = new Map<string, Batch>();

  /** The bytes of the events; `join` is called unless the last batch of this form had the same events. */
  bytes(form: string, events: readonly CacheEvent[], join: () => Buffer): Buffer {
    const last = this.#last.get(form);
    if (last !== undefined && sameEvents(last.events, events)) return last.bytes;
    const bytes = join();
    this.#last.set(form, { events: [...events], bytes });
    return bytes;
  }

  /** Drops the batches, so that they do not outlive the round. */
  clear(): void {
    this.#last.clear();
  }
}

function sameEvents(one: readonly CacheEvent[], other: readonly CacheEvent[]): boolean {
  return one.length === other.length && one.every((event, index) => event === other[index]);
}

/** The parameters of a {@link WatchSender}. */
export interface WatchSenderOptions {
  /** The response; its head has been sent. */
  readonly res: HttpResponse;
  readonly encoder: WatchEncoder;
  /** Paused while the client does not read, or while a crowd gathers events. */
  readonly watcher: Watcher;
  readonly pacer: WatchPacer;
  /** Shared by all watches of the server. */
  readonly batches: SharedBatches;
  readonly counts: WatchCounts | undefined;
}

/**
 * Writes the events of one watch.
 *
 * On HTTP/1.1 it writes whole chunks to the connection, framing and data in one piece: one write and one TLS record,
 * where the response object would need four and hold them until the next tick. That is why it does not use `res.write`
 * there.
 *
 * A client that does not read is not buffered for: once the connection reports back-pressure the watcher is paused, and
 * its events wait in the watcher's own buffer, whose limit ends the watch.
 */
export class WatchSender {
  readonly #options: WatchSenderOptions;
  /** The connection if chunks are framed here (HTTP/1.1), otherwise the response (HTTP/2, HTTP/1.0). */
  readonly #target: Writable | HttpResponse;
  readonly #chunked: boolean;

  constructor(options: WatchSenderOptions) {
    const { res } = options;
    const connection = res instanceof ServerResponse && res.chunkedEncoding ? res.socket : null;
    this.#options = options;
    this.#target = connection ?? res;
    this.#chunked = connection !== null;
  }

  /** Writes events in one piece. Pauses the watcher if the client reads slowly, or if there are many watches. */
  send(events: readonly CacheEvent[]): void {
    const { res, encoder, watcher, pacer, batches, counts } = this.#options;
    if (isGone(res) || res.writableEnded) return;
    const { form } = encoder;
    // Streams of one form differ in their bytes if one of them is chunked and the other is not.
    const bytes =
      form === undefined || !pacer.crowded
        ? this.#join(events)
        : batches.bytes(`${this.#chunked ? "chunk" : "plain"}|${form}`, events, () => this.#join(events));
    const flowing = this.#target.write(bytes);
    counts?.sent(events.length, bytes.length);
    if (flowing) {
      pacer.written(watcher);
      return;
    }
    watcher.pause();
    this.#target.once("drain", () => pacer.drained(watcher));
  }

  #join(events: readonly CacheEvent[]): Buffer {
    const { encoder } = this.#options;
    const lines = events.map((event) => encoder.encode(event));
    const [only] = lines;
    if (!this.#chunked) return lines.length === 1 && only !== undefined ? only : Buffer.concat(lines);
    const length = lines.reduce((sum, line) => sum + line.length, 0);
    return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`, "latin1"), ...lines, lineEnd]);
  }
}
