import { encodeHeaders, type Header } from "../hpack.ts";

/**
 * The header blocks with which calls begin, by method. All calls of a method have the same block, so it is encoded once and kept; a service
 * has a few dozen methods at most.
 */
export class CallHeads {
  readonly #encoded = new Map<string, Buffer>();
  readonly #headersOf: (path: string) => readonly Header[];

  /** @param headersOf all header fields of the calls of a method, by its path */
  constructor(headersOf: (path: string) => readonly Header[]) {
    this.#headersOf = headersOf;
  }

  /** @param path of the method, e.g. `/etcdserverpb.KV/Range` */
  of(path: string): Buffer {
    let head = this.#encoded.get(path);
    if (head === undefined) {
      head = encodeHeaders(this.#headersOf(path));
      this.#encoded.set(path, head);
    }
    return head;
  }
}
