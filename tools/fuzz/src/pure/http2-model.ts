import { HeaderDecoder } from "@orchernetes/http2/testing";

/** What a client makes of the response of one request. */
export interface ModelStream {
  status: number;
  bytes: number;
  outcome: "pending" | "ended" | "failed";
}

/** The requests that are in flight at the beginning. They have no bodies. */
export const MODEL_REQUESTS = 3;
/** Bytes that the server may send before they are read. The client reads at once, so no response of the fuzzer exceeds them. */
export const MODEL_WINDOWS = { stream: 100_000, connection: 300_000 } as const;

const MAX_WINDOW = 2 ** 31 - 1;
const MAX_BLOCK = 256 * 1024;
const STREAMS = Array.from({ length: MODEL_REQUESTS }, (_, i) => 2 * i + 1);

class Violation extends Error {}
const must = (condition: boolean): void => {
  if (!condition) throw new Violation();
};

/**
 * The rules of RFC 9113 for a client with three requests in flight, in the simplest way: it gets all bytes at once, has no output, and
 * ends at the first violation.
 */
export class Http2Model {
  readonly streams = new Map<number, ModelStream>(
    STREAMS.map((id) => [id, { status: 0, bytes: 0, outcome: "pending" }]),
  );
  isBroken = false;
  readonly #decoder = new HeaderDecoder();
  #block: { readonly stream: number; readonly flags: number; bytes: Buffer; cost: number } | undefined;
  /** What the server has granted beyond the first window, by stream; 0 is the connection. */
  readonly #windows = new Map<number, number>();
  #firstWindow = 65_535;

  constructor(received: Buffer) {
    try {
      this.#read(received);
    } catch (error) {
      if (!(error instanceof Violation || error instanceof RangeError)) throw error;
      this.isBroken = true;
      for (const stream of this.streams.values()) if (stream.outcome === "pending") stream.outcome = "failed";
    }
  }

  #read(bytes: Buffer): void {
    let isFirst = true;
    for (let at = 0; at + 9 <= bytes.length; ) {
      const length = bytes.readUIntBE(at, 3);
      must(length <= 16_384);
      const [type = 0, flags = 0] = bytes.subarray(at + 3, at + 5);
      const stream = bytes.readUInt32BE(at + 5) % 2 ** 31;
      const payload = bytes.subarray(at + 9, at + 9 + length);
      if (payload.length < length) return;
      must(!isFirst || (type === 4 && flags % 2 === 0));
      must(this.#block === undefined || (type === 9 && stream === this.#block.stream));
      isFirst = false;
      this.#frame(type, flags, stream, payload);
      at += 9 + length;
    }
  }

  #frame(type: number, flags: number, stream: number, payload: Buffer): void {
    if ([0, 1, 2, 3, 9].includes(type)) must(stream !== 0);
    if ([4, 6, 7].includes(type)) must(stream === 0);
    // Streams that nobody has opened: a PRIORITY may name them, and a header block is read when it is complete.
    if (stream !== 0 && ([0, 3, 8].includes(type) || (type === 1 && (flags & 4) !== 0))) must(this.streams.has(stream));
    if (type === 0) this.#data(flags, stream, payload);
    else if (type === 1) this.#headers(flags, stream, payload);
    else if (type === 2) must(payload.length === 5);
    else if (type === 3) {
      must(payload.length === 4);
      this.#end(stream, "failed");
    } else if (type === 4) this.#settings(flags, payload);
    else if (type === 5) must(false);
    else if (type === 6) must(payload.length === 8);
    else if (type === 7) {
      must(payload.length >= 8);
      const last = payload.readUInt32BE(0) % 2 ** 31;
      for (const id of STREAMS) if (id > last) this.#end(id, "failed");
    } else if (type === 8) this.#widen(stream, payload);
    else if (type === 9) this.#continue(flags, payload);
  }

  #content(flags: number, payload: Buffer): Buffer {
    if ((flags & 8) === 0) return payload;
    must(payload.length > 0 && (payload[0] ?? 0) < payload.length);
    return payload.subarray(1, payload.length - (payload[0] ?? 0));
  }

  #data(flags: number, id: number, payload: Buffer): void {
    const stream = this.streams.get(id);
    if (stream?.outcome !== "pending") return;
    must(stream.status !== 0);
    stream.bytes += this.#content(flags, payload).length;
    if ((flags & 1) !== 0) this.#end(id, "ended");
  }

  #headers(flags: number, stream: number, payload: Buffer): void {
    let bytes = this.#content(flags, payload);
    if ((flags & 32) !== 0) {
      must(bytes.length >= 5);
      bytes = bytes.subarray(5);
    }
    this.#block = { stream, flags, bytes, cost: bytes.length };
    if ((flags & 4) !== 0) this.#complete();
  }

  #continue(flags: number, payload: Buffer): void {
    must(this.#block !== undefined);
    if (this.#block === undefined) return;
    this.#block.bytes = Buffer.concat([this.#block.bytes, payload]);
    this.#block.cost += payload.length + 9;
    must(this.#block.cost <= MAX_BLOCK);
    if ((flags & 4) !== 0) this.#complete();
  }

  #complete(): void {
    const block = this.#block;
    this.#block = undefined;
    if (block === undefined) return;
    const fields = this.#decoder.decode(block.bytes);
    const stream = this.streams.get(block.stream);
    must(stream !== undefined);
    if (stream?.outcome !== "pending") return;
    const isEnd = (block.flags & 1) !== 0;
    if (stream.status !== 0) must(isEnd);
    else {
      const pseudo = fields.slice(0, fields.findIndex(([name]) => !name.startsWith(":")) >>> 0);
      const status = pseudo.find(([name]) => name === ":status")?.[1];
      must(/^[1-9][0-9]{2}$/.test(status ?? ""));
      if (Number(status) < 200 && !isEnd) return;
      stream.status = Number(status);
    }
    if (isEnd) this.#end(block.stream, "ended");
  }

  #settings(flags: number, payload: Buffer): void {
    if (flags % 2 === 1) {
      must(payload.length === 0);
      return;
    }
    must(payload.length % 6 === 0);
    for (let at = 0; at < payload.length; at += 6) {
      const id = payload.readUInt16BE(at);
      const value = payload.readUInt32BE(at + 2);
      if (id === 2) must(value === 0);
      if (id === 5) must(value >= 16_384 && value < 2 ** 24);
      if (id !== 4) continue;
      must(value <= MAX_WINDOW);
      this.#firstWindow = value;
    }
    // The requests have no bodies: their windows are what the server has granted.
    for (const id of STREAMS)
      if (this.streams.get(id)?.outcome === "pending") must(this.#windowOf(id) + this.#firstWindow <= MAX_WINDOW);
  }

  #widen(id: number, payload: Buffer): void {
    must(payload.length === 4);
    const by = payload.readUInt32BE(0) % 2 ** 31;
    must(by > 0);
    if (id !== 0 && this.streams.get(id)?.outcome !== "pending") return;
    this.#windows.set(id, this.#windowOf(id) + by);
    must(this.#windowOf(id) + (id === 0 ? 65_535 : this.#firstWindow) <= MAX_WINDOW);
  }

  #windowOf(id: number): number {
    return this.#windows.get(id) ?? 0;
  }

  #end(id: number, outcome: "ended" | "failed"): void {
    const stream = this.streams.get(id);
    if (stream?.outcome === "pending") stream.outcome = outcome;
  }
}
