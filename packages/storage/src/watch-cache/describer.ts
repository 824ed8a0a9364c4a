import type { Logger } from "@orchernetes/kernel";
import type { Revision } from "../revision.ts";
import { CacheEntry } from "./cache-entry.ts";
import type { Described } from "./entry.ts";

/** The largest number of descriptions that wait for their event; beyond it the oldest are dropped, and their events are parsed. */
const MAX_WAITING = 10_000;
/** Names of namespaces whose string is shared. */
const MAX_NAMESPACES = 10_000;

/** The options of a {@link Describer}. */
export interface DescriberOptions {
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly describe: (key: string, value: Buffer, revision: Revision) => Described;
  readonly logger: Logger;
}

/**
 * A description that a writer announced before its commit. It is cleared when it is used: stale tables of a busy Map
 * still refer to it, and must not keep a whole request alive through garbage collections of the young generation.
 */
interface Announced {
  value: Uint8Array | undefined;
  describe: ((revision: Revision) => Described) | undefined;
}

/** A description that a writer left after its commit. */
interface Primed {
  readonly revision: Revision;
  readonly described: Described;
}

/**
 * Creates entries from stored values. It parses a value only if no writer of this process has left a description: the
 * writer had the decoded object at hand, so its events cost no parsing.
 */
export class Describer {
  readonly #options: DescriberOptions;
  readonly #primed = new Map<string, Primed>();
  readonly #announced = new Map<string, Announced>();
  readonly #namespaces = new Map<string, string>();

  constructor(options: DescriberOptions) {
    this.#options = options;
  }

  /** Stores the description of a version by its revision; see `WatchCache.prime`. */
  prime(key: string, revision: Revision, described: Described): void {
    keep(this.#primed, key, { revision, described });
  }

  /**
   * Stores the description of a version by its bytes; see `WatchCache.announce`. Returns a function that withdraws
   * it.
   */
  announce(key: string, value: Uint8Array, describe: (revision: Revision) => Described): () => void {
    const announced: Announced = { value, describe };
    keep(this.#announced, key, announced);
    return () => {
      if (this.#announced.get(key) === announced) this.#announced.delete(key);
      empty(announced);
    };
  }

  /** Drops the description of the key. */
  forget(key: string): void {
    this.#primed.delete(key);
    this.#announced.delete(key);
  }

  /** Returns the entry of a stored version; undefined, after an error is logged, if its bytes cannot be decoded. */
  entry(key: string, value: Buffer, revision: Revision, createRevision: Revision): CacheEntry | undefined {
    try {
      const { json, labels, fields } =
        this.#descriptionOf(key, value, revision) ?? this.#options.describe(key, value, revision);
      const { namespace, name } = this.#parts(key);
      return new CacheEntry({ key, namespace, name, revision, createRevision, json, labels, fields });
    } catch (error) {
      this.#options.logger.error(error, "Stored object cannot be decoded and is skipped", { key, revision });
      return undefined;
    }
  }

  #descriptionOf(key: string, value: Buffer, revision: Revision): Described | undefined {
    const primed = this.#primed.get(key);
    if (primed !== undefined && primed.revision <= revision) {
      this.#primed.delete(key);
      if (primed.revision === revision) return primed.described;
    }
    const announced = this.#announced.get(key);
    const { value: expected, describe } = announced ?? nothing;
    if (announced === undefined || expected === undefined || !value.equals(expected)) return undefined;
    this.#announced.delete(key);
    empty(announced);
    return describe?.(revision);
  }

  #parts(key: string): { readonly namespace: string; readonly name: string } {
    const { prefix, namespaced } = this.#options;
    const slash = namespaced ? key.indexOf("/", prefix.length) : -1;
    return slash < 0
      ? { namespace: "", name: key.slice(prefix.length) }
      : { namespace: this.#namespace(key.slice(prefix.length, slash)), name: key.slice(slash + 1) };
  }

  /** The same string for all objects of a namespace, which saves memory. */
  #namespace(name: string): string {
    const known = this.#namespaces.get(name);
    if (known !== undefined) return known;
    if (this.#namespaces.size >= MAX_NAMESPACES) this.#namespaces.clear();
    this.#namespaces.set(name, name);
    return name;
  }
}

const nothing: Announced = { value: undefined, describe: undefined };

function empty(announced: Announced): void {
  announced.value = undefined;
  announced.describe = undefined;
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  // Deleted first, so that the map is ordered by age.
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_WAITING) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
