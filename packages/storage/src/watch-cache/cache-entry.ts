import type { Revision } from "../revision.ts";
import type { Described } from "./entry.ts";

/** The content of a {@link CacheEntry}. */
export interface EntryOptions extends Described {
  readonly key: string;
  /** Empty for a resource without namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
}

/**
 * One version of an object. It is immutable and shared by all readers. Only the location of its bytes may change from
 * one turn of the event loop to the next, when they are moved between slabs.
 */
export class CacheEntry implements EntryOptions {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly fields: Readonly<Record<string, string>>;
  /** The number of bytes of {@link json}. */
  readonly length: number;
  #bytes: Buffer;
  #start = 0;
  #prefixLength = -1;

  constructor({ key, namespace, name, revision, createRevision, json, labels, fields }: EntryOptions) {
    this.key = key;
    this.namespace = namespace;
    this.name = name;
    this.revision = revision;
    this.createRevision = createRevision;
    this.labels = labels;
    this.fields = fields;
    this.length = json.length;
    this.#bytes = json;
  }

  /** The object's JSON with its resourceVersion. The content of the view never changes, however long it is held. */
  get json(): Buffer {
    if (this.length === this.#bytes.length) return this.#bytes;
    return this.#bytes.subarray(this.#start, this.#start + this.length);
  }

  /** The memory that contains the bytes. */
  get memory(): Buffer {
    return this.#bytes;
  }

  /**
   * The number of bytes of `prefix` if the JSON starts with it, otherwise 0. The result is cached, so all calls must
   * pass the same prefix: that of the kind.
   */
  lengthOfPrefix(prefix: Buffer): number {
    if (this.#prefixLength < 0) this.#prefixLength = this.#startsWith(prefix) ? prefix.length : 0;
    return this.#prefixLength;
  }

  /** Copies the JSON from byte `from` to `target` at offset `at`, as much as fits, and returns the number of bytes. */
  copyJson(target: Buffer, at: number, from: number): number {
    return this.#bytes.copy(target, at, this.#start + from, this.#start + this.length);
  }

  /** The same object with other bytes and another revision. */
  with(json: Buffer, revision: Revision): CacheEntry {
    const { key, namespace, name, createRevision, labels, fields } = this;
    return new CacheEntry({ key, namespace, name, revision, createRevision, json, labels, fields });
  }

  /** For the owner of the memory: records that the same bytes are now at `start` of `memory`. */
  moveTo(memory: Buffer, start: number): void {
    this.#bytes = memory;
    this.#start = start;
  }

  #startsWith(prefix: Buffer): boolean {
    const start = this.#start;
    if (prefix.length > this.length) return false;
    return this.#bytes.compare(prefix, 0, prefix.length, start, start + prefix.length) === 0;
  }
}
