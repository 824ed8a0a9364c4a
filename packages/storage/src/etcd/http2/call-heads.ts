import { encodeHeaders } from "@orchernetes/http2";
import { authorityOf, callHeaders, type GrpcTarget } from "./connection.ts";

/**
 * The header blocks that calls begin with, by method. All calls of a method have the same one, so it is encoded once; there are about a
 * dozen methods.
 */
export class CallHeads {
  readonly #encoded = new Map<string, Buffer>();
  readonly #target: GrpcTarget;

  constructor(target: GrpcTarget) {
    this.#target = target;
  }

  /** @param path of the method, e.g. `/etcdserverpb.KV/Range` */
  of(path: string): Buffer {
    let head = this.#encoded.get(path);
    if (head === undefined) {
      head = encodeHeaders([
        [":method", "POST"],
        [":scheme", this.#target.tls === undefined ? "http" : "https"],
        [":path", path],
        [":authority", authorityOf(this.#target)],
        ...callHeaders(path),
      ]);
      this.#encoded.set(path, head);
    }
    return head;
  }
}
