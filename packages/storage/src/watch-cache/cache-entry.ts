import type { Revision } from "../store.ts";
import type { Described } from "./entry.ts";

/** What a {@link CacheEntry} is made of. */
export interface EntryOptions extends Described {
  readonly key: string;
  /** Empty for a resource without namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
}

/**
 * One version of an object. Immutable to all who are given it; the same instance is given to everyone. Only its bytes may lie
 * elsewhere from one turn of the event loop to the next, among those of other entries.
 */
export class CacheEntry implements EntryOptions {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly fields: Readonly<Record<string, string>>;
  /** How many bytes {@link json} has. */
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

  /** The object's wire JSON, its resourceVersion inside. A view that stays as it is for as long as it is held. */
  get json(): Buffer {
    if (this.length === this.#bytes.length) return this.#bytes;
    return this.#bytes.subarray(this.#start, this.#start + this.length);
  }

  /** The memory that the bytes lie in. */
  get memory(): Buffer {
    return this.#bytes;
  }

  /**
   * How many bytes of the JSON are this prefix: all of its, or none. Looked up once: the same prefix has to be asked for each
   * time, which is no burden since it tells the kind.
   */
  lengthOfPrefix(prefix: Buffer): number {
    if (this.#prefixLength < 0) this.#prefixLength = this.#startsWith(prefix) ? prefix.length : 0;
    return this.#prefixLength;
  }

  /** Copies JSON from its byte `from` on to `target`, as much as there is room for; gives the number of bytes. */
  copyJson(target: Buffer, at: number, from: number): number {
    return this.#bytes.copy(target, at, this.#start + from, this.#start + this.length);
  }

  /** The same object with other bytes. */
  with(json: Buffer, revision: Revision): CacheEntry {
    const { key, namespace, name, createRevision, labels, fields } = this;
    return new CacheEntry({ key, namespace, name, revision, createRevision, json, labels, fields });
  }

  /** For whoever manages the memory: the same bytes are at `start` of `memory` now. */
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
