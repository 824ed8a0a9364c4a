import {
  type ApiObject,
  apiVersionOf,
  type Draft,
  encodeJson,
  type ResourceDefinition,
  type VersionConverter,
} from "@orchernetes/apimachinery";
import type { EventLoop } from "@orchernetes/kernel";
import type { CacheEntry, CacheEvent, ObjectEvent } from "@orchernetes/storage";
import { convertObject } from "./convert-object.ts";
import { type ObjectStorage, StoredObject } from "./object-storage.ts";

/** Objects converted to another version before the event loop gets its turn. */
const convertedPerTurn = 100;

/** What a conversion is for: its signal ends it. Used only where it is needed, because it may be created on demand. */
export interface ConversionWork {
  readonly signal: AbortSignal;
}

/** The parts of the server that conversion needs. */
interface FormEnvironment {
  readonly loop: EventLoop;
  readonly signal: AbortSignal;
}

/**
 * Shows the objects of a resource in one of its served versions. There are three cases:
 *
 * - The stored bytes are the version's own (`direct`): nothing is examined, let alone decoded. This is the case for
 *   most requests.
 * - Functions convert: an object is decoded, converted and encoded once, and the result is remembered beside it as long
 *   as it lives.
 * - A webhook converts: each object that was stored in another version is sent to it whenever it is read, many in one
 *   call. Results are not remembered, as the webhook may change; only the events of watches share them.
 */
export class VersionForm {
  /** Whether stored bytes are this version's own. */
  readonly direct: boolean;
  readonly converter: VersionConverter | undefined;
  readonly #definition: ResourceDefinition;
  readonly #storage: ObjectStorage;
  readonly #environment: FormEnvironment;
  readonly #apiVersion: string;
  /** First bytes of the JSON of objects of this version, by which stored ones are recognized without decoding. */
  readonly #start: Buffer;
  readonly #views = new WeakMap<StoredObject, StoredObject>();
  readonly #entries = new WeakMap<CacheEntry, CacheEntry>();
  /** Events whose conversion is running or complete. All watches share them, and the encoded frames in them. */
  readonly #events = new WeakMap<ObjectEvent, Promise<ObjectEvent>>();

  constructor(definition: ResourceDefinition, storage: ObjectStorage, environment: FormEnvironment) {
    this.#definition = definition;
    this.#storage = storage;
    this.#environment = environment;
    this.converter = definition.converter;
    this.direct = definition.storedAs === undefined && this.converter === undefined;
    this.#apiVersion = apiVersionOf(definition);
    this.#start = Buffer.from(`{"apiVersion":${JSON.stringify(this.#apiVersion)},`);
  }

  /** A stored object in this version's form; a promise only if a conversion webhook must be called. */
  view(stored: StoredObject, work: ConversionWork = this.#environment): StoredObject | Promise<StoredObject> {
    if (this.direct) return stored;
    if (this.converter === undefined) return this.#view(stored);
    if (this.#isOwn(stored.json)) return stored;
    const { converter } = this;
    return converter
      .convert([stored.object], this.#apiVersion, work.signal)
      .then(([converted = stored.object]) => this.#encoded(converted, stored));
  }

  /** Like {@link view}, synchronously. If a webhook converts, only results of {@link entries} may be given. */
  known(stored: StoredObject): StoredObject {
    return this.direct || this.converter !== undefined ? stored : this.#view(stored);
  }

  /** Cache entries with this version's bytes: converted in turns of the event loop, or by calls of a webhook. */
  async entries(
    entries: readonly CacheEntry[],
    work: ConversionWork = this.#environment,
  ): Promise<readonly CacheEntry[]> {
    if (this.direct) return entries;
    if (this.converter !== undefined) return this.#converted(this.converter, entries, work);
    const shown: CacheEntry[] = [];
    for (const entry of entries) {
      shown.push(this.entry(entry));
      if (shown.length % convertedPerTurn === 0) await this.#environment.loop.nextTurn();
    }
    return shown;
  }

  /** One cache entry with this version's bytes. If a webhook converts, only results of {@link entries} may be given. */
  entry(entry: CacheEntry): CacheEntry {
    if (this.direct || this.converter !== undefined) return entry;
    let view = this.#entries.get(entry);
    if (view === undefined) {
      view = entry.with(this.#view(this.#storage.decoded(entry)).json, entry.revision);
      this.#entries.set(entry, view);
    }
    return view;
  }

  /**
   * Events with entries of this version, in their order. Watches share the work, so the end of one watch does not
   * cancel it.
   */
  async events(events: readonly CacheEvent[]): Promise<readonly CacheEvent[]> {
    const missing = events.filter((event) => event.type !== "BOOKMARK" && !this.#events.has(event)) as ObjectEvent[];
    if (missing.length > 0) {
      const entries = this.entries(missing.map(({ entry }) => entry));
      for (const [index, event] of missing.entries()) {
        const converted = entries.then((all) => ({ ...event, entry: all[index] ?? event.entry, frames: undefined }));
        // A failure ends the watch that asked for the conversion; the next watch asks again.
        converted.catch(() => this.#events.delete(event));
        this.#events.set(event, converted);
      }
    }
    return Promise.all(events.map((event) => (event.type === "BOOKMARK" ? event : (this.#events.get(event) ?? event))));
  }

  /** The object in the stored version, to be written. */
  toStored(object: ApiObject, work: ConversionWork): ApiObject | Promise<ApiObject> {
    const { storedAs } = this.#definition;
    if (storedAs === undefined) return object;
    if (this.converter === undefined) return storedAs.toStored?.(object) ?? object;
    return this.#defaulted(convertObject(object, this.#definition, storedAs.definition, work), storedAs.definition);
  }

  /**
   * A stored object in the version of new writes: after the stored version of a definition has changed, older objects
   * have another one.
   */
  current(stored: StoredObject, work: ConversionWork): StoredObject | Promise<StoredObject> {
    if (this.converter === undefined) return stored;
    const { definition } = this.#storage;
    const apiVersion = apiVersionOf(definition);
    if (stored.object.apiVersion === apiVersion) return stored;
    return this.converter
      .convert([stored.object], apiVersion, work.signal)
      .then(([converted = stored.object]) => encodedAs(definition, converted, stored));
  }

  async #defaulted(converted: ApiObject | Promise<ApiObject>, stored: ResourceDefinition): Promise<ApiObject> {
    const object = await converted;
    stored.applyDefaults?.(object as Draft<ApiObject>);
    return object;
  }

  async #converted(
    converter: VersionConverter,
    entries: readonly CacheEntry[],
    work: ConversionWork,
  ): Promise<readonly CacheEntry[]> {
    const others = entries.filter((entry) => !this.#isOwn(entry.json));
    if (others.length === 0) return entries;
    const stored = others.map((entry) => this.#storage.decodedOnce(entry));
    const objects = await converter.convert(
      stored.map(({ object }) => object),
      this.#apiVersion,
      work.signal,
    );
    const made = new Map<CacheEntry, CacheEntry>();
    for (const [index, entry] of others.entries()) {
      const [from, to] = [stored[index], objects[index]];
      if (from !== undefined && to !== undefined && to !== from.object)
        made.set(entry, entry.with(this.#encoded(to, from).json, entry.revision));
      if (index % convertedPerTurn === convertedPerTurn - 1) await this.#environment.loop.nextTurn();
    }
    return entries.map((entry) => made.get(entry) ?? entry);
  }

  #isOwn(json: Buffer): boolean {
    return (
      json.length >= this.#start.length && json.compare(this.#start, 0, this.#start.length, 0, this.#start.length) === 0
    );
  }

  #view(stored: StoredObject): StoredObject {
    let view = this.#views.get(stored);
    if (view === undefined) {
      view = this.#encoded(this.#definition.storedAs?.fromStored?.(stored.object) ?? stored.object, stored);
      this.#views.set(stored, view);
    }
    return view;
  }

  #encoded(object: ApiObject, stored: StoredObject): StoredObject {
    return encodedAs(this.#definition, object, stored);
  }
}

/** A converted object as JSON of a version. The resourceVersion is the stored one's: conversion does not change it. */
function encodedAs(definition: ResourceDefinition, object: ApiObject, stored: StoredObject): StoredObject {
  const whole = {
    ...object,
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata: { ...object.metadata, resourceVersion: stored.object.metadata.resourceVersion },
  };
  return new StoredObject(encodeJson(definition.schema, whole), stored.revision);
}
