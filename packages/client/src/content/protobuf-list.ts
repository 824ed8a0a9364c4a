import {
  DecodeError,
  decodeMessage,
  ListMeta,
  protobufMagic,
  readTypeMeta,
  type Scheme,
  type SchemeKind,
} from "@orchernetes/apimachinery";
import type { ListReader } from "../transport/body-format.ts";
import { ByteQueue } from "./byte-queue.ts";
import { type FieldHeader, readFieldHeader } from "./field-header.ts";

/** Limit of an item in bytes: objects are limited to a few megabytes. It protects the process from a server that never ends one. */
const maxItemBytes = 64 * 1024 * 1024;
/** Limit of every other field: `kind`, `apiVersion` and the metadata of the list. */
const maxFieldBytes = 1024 * 1024;

/** Numbers of the fields of an envelope, and of those that all lists have. */
const TYPE = 1;
const RAW = 2;
const METADATA = 1;
const ITEMS = 2;

/**
 * Reads the envelope of a list item by item while it arrives, so that its bytes are never in memory as a whole. The type must come
 * before the list, as servers write it.
 */
export class ProtobufList implements ListReader {
  readonly #scheme: Scheme;
  readonly #onItem: (item: unknown) => void;
  readonly #bytes = new ByteQueue();
  #hasMagic = false;
  #kind: SchemeKind | undefined;
  /** The field that arrives. */
  #field: FieldHeader | undefined;
  /** Bytes of the list that have not been read; undefined outside of it. */
  #rest: number | undefined;
  #isRead = false;
  #metadata: ListMeta = {};

  constructor(scheme: Scheme, onItem: (item: unknown) => void) {
    this.#scheme = scheme;
    this.#onItem = onItem;
  }

  /** The kind of the list, once it has arrived. */
  get kind(): SchemeKind | undefined {
    return this.#kind;
  }

  /**
   * Takes the next bytes.
   *
   * @throws RangeError for an item beyond 64 MiB, or another field beyond 1 MiB
   * @throws DecodeError for what is malformed, or no list of a known kind
   */
  write(chunk: Buffer): void {
    this.#bytes.push(chunk);
    while (this.#hasMagic ? this.#step() : this.#readMagic());
  }

  /** The metadata of the list. @throws SyntaxError if the list is not complete */
  end(): ListMeta {
    const isInside = this.#rest !== undefined || this.#field !== undefined || this.#bytes.length > 0;
    if (!this.#isRead || isInside) throw new SyntaxError("the list is not complete");
    return this.#metadata;
  }

  /** @returns whether there may be more to read */
  #readMagic(): boolean {
    const { length } = protobufMagic;
    if (this.#bytes.length < length) return false;
    if (!this.#bytes.take(length).equals(protobufMagic)) throw new DecodeError("proto: the beginning is no envelope's");
    this.#hasMagic = true;
    return true;
  }

  /** Reads the header of a field, or its content. @returns whether there may be more to read */
  #step(): boolean {
    if (this.#field === undefined) return this.#readHeader();
    const { id, length } = this.#field;
    if (this.#bytes.length < length) return false;
    const content = this.#bytes.take(length);
    this.#field = undefined;
    if (this.#rest !== undefined) {
      this.#readListField(id, content);
      this.#leave();
    } else if (id === TYPE) {
      const { apiVersion, kind } = readTypeMeta(content);
      this.#kind = this.#scheme.kind(apiVersion, kind);
    }
    return true;
  }

  #readHeader(): boolean {
    const header = readFieldHeader(this.#bytes);
    if (header === undefined) return false;
    const { id, size, length } = header;
    if (this.#rest === undefined) {
      if (id === RAW) {
        this.#enter(length);
        return true;
      }
    } else {
      this.#rest -= size + length;
      if (this.#rest < 0) throw new DecodeError("proto: a field is longer than its list");
    }
    const most = this.#rest !== undefined && id === ITEMS ? maxItemBytes : maxFieldBytes;
    if (length > most) throw new RangeError(`a field of ${length} bytes; want at most ${most}`);
    this.#field = header;
    return true;
  }

  #enter(length: number): void {
    if (this.#kind?.item === undefined)
      throw new DecodeError(
        `proto: ${this.#kind === undefined ? "nothing of a known kind" : this.#kind.kind}, no list`,
      );
    if (this.#isRead) throw new DecodeError("proto: two lists in an envelope");
    this.#isRead = true;
    this.#rest = length;
    this.#leave();
  }

  /** Leaves the list at its end. */
  #leave(): void {
    if (this.#rest === 0) this.#rest = undefined;
  }

  #readListField(id: number, content: Uint8Array): void {
    if (id === METADATA) this.#metadata = decodeMessage(ListMeta, content);
    else if (id === ITEMS && this.#kind?.item !== undefined) this.#onItem(decodeMessage(this.#kind.item, content));
  }
}
