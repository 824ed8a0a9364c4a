import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Constants of the file format of bbolt, version 2, which etcd's backend uses. Numbers are little-endian; sizes are in bytes. */
const MAGIC = 0xed0cdaed;
const VERSION = 2;
const PAGE_HEAD = 16;
const ELEMENT = 16;
const BUCKET_HEAD = 16;
const BRANCH = 1;
const LEAF = 2;
const BUCKET_VALUE = 1;
/** A tree with more levels than this must contain a cycle. */
const MAX_LEVELS = 64;
const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** The file was not written by bbolt, or is damaged. */
class BoltError extends Error {
  override readonly name = "BoltError";
}

/** A key and its value, in separate memory. */
export interface BoltItem {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** A meta page. bbolt writes them alternately, so that one of them is valid after a crash. */
interface Meta {
  readonly root: number;
  readonly transaction: bigint;
  readonly pages: number;
}

/** A file of bbolt, opened for reading. Every method throws a {@link BoltError} if the file is damaged. */
export class BoltFile {
  readonly #file: number;
  readonly #pageSize: number;
  readonly #meta: Meta;

  /**
   * @param end the offset in the file at which the database ends, e.g. before a checksum
   * @throws BoltError
   */
  constructor(path: string, end?: number) {
    this.#file = openSync(path, "r");
    try {
      const size = end ?? fstatSync(this.#file).size;
      this.#pageSize = this.#read(0, PAGE_HEAD + 12).readUInt32LE(PAGE_HEAD + 8);
      if (this.#pageSize < 512 || this.#pageSize > 1 << 20 || size < 4 * this.#pageSize)
        throw new BoltError("it does not begin with a page of etcd's database");
      const metas = [0, 1].map((page) => this.#readMeta(page)).filter((meta) => meta !== undefined);
      const [meta] = metas.sort((a, b) => (a.transaction > b.transaction ? -1 : 1));
      if (meta === undefined) throw new BoltError("neither of its two meta pages has the right checksum");
      if (meta.pages * this.#pageSize > size)
        throw new BoltError(
          `it ends after ${size} bytes, and the database in it has ${meta.pages} pages of ${this.#pageSize}`,
        );
      this.#meta = meta;
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** The items of a bucket in the order of keys; none if there is no such bucket. */
  *items(bucket: string): Generator<BoltItem> {
    const name = Buffer.from(bucket);
    for (const { key, value, flags } of this.#tree(this.#meta.root, 0)) {
      if (!key.equals(name) || (flags & BUCKET_VALUE) === 0) continue;
      const root = value.readBigUInt64LE(0);
      // A small bucket is stored as a page in the value.
      yield* root === 0n ? this.#leaf(value.subarray(BUCKET_HEAD), name.toString()) : this.#tree(Number(root), 0);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  *#tree(id: number, level: number): Generator<BoltItem & { readonly flags: number }> {
    if (level > MAX_LEVELS)
      throw new BoltError(`its page ${id} is below itself, or more than ${MAX_LEVELS} levels deep`);
    const page = this.#page(id);
    const kind = page.readUInt16LE(8);
    if ((kind & LEAF) !== 0) {
      yield* this.#leaf(page, `page ${id}`);
      return;
    }
    if ((kind & BRANCH) === 0) throw new BoltError(`its page ${id} is neither a leaf nor a branch`);
    const count = page.readUInt16LE(10);
    for (let i = 0; i < count; i++) {
      const at = PAGE_HEAD + i * ELEMENT + 8;
      if (at + 8 > page.length) throw new BoltError(`its page ${id} is damaged`);
      yield* this.#tree(Number(page.readBigUInt64LE(at)), level + 1);
    }
  }

  *#leaf(page: Buffer, name: string): Generator<BoltItem & { readonly flags: number }> {
    const count = page.readUInt16LE(10);
    for (let i = 0; i < count; i++) {
      const at = PAGE_HEAD + i * ELEMENT;
      if (at + ELEMENT > page.length) throw new BoltError(`${name} of it is damaged`);
      const start = at + page.readUInt32LE(at + 4);
      const middle = start + page.readUInt32LE(at + 8);
      const end = middle + page.readUInt32LE(at + 12);
      if (end > page.length) throw new BoltError(`${name} of it is damaged`);
      yield {
        flags: page.readUInt32LE(at),
        key: Buffer.from(page.subarray(start, middle)),
        value: Buffer.from(page.subarray(middle, end)),
      };
    }
  }

  /** A page including its overflow pages. */
  #page(id: number): Buffer {
    if (id < 2 || id >= this.#meta.pages) throw new BoltError(`it refers to page ${id} of ${this.#meta.pages}`);
    const at = id * this.#pageSize;
    const head = this.#read(at, PAGE_HEAD);
    const pages = 1 + head.readUInt32LE(12);
    if (head.readBigUInt64LE(0) !== BigInt(id) || id + pages > this.#meta.pages)
      throw new BoltError(`its page ${id} is damaged`);
    return this.#read(at, pages * this.#pageSize);
  }

  #readMeta(page: number): Meta | undefined {
    const bytes = this.#read(page * this.#pageSize + PAGE_HEAD, 64);
    if (bytes.readUInt32LE(0) !== MAGIC || bytes.readUInt32LE(4) !== VERSION) return undefined;
    if (bytes.readBigUInt64LE(56) !== checksum(bytes.subarray(0, 56))) return undefined;
    return {
      root: Number(bytes.readBigUInt64LE(16)),
      pages: Number(bytes.readBigUInt64LE(40)),
      transaction: bytes.readBigUInt64LE(48),
    };
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.#file, bytes, 0, length, at) < length) throw new BoltError(`it ends before byte ${at + length}`);
    return bytes;
  }
}

/** The checksum of a meta page: FNV-1a with 64 bits. */
function checksum(bytes: Buffer): bigint {
  let hash = FNV_OFFSET;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash;
}
