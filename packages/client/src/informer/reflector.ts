import {
  ApiError,
  type ApiObject,
  isExpired,
  isTooManyRequests,
  type ListMeta,
  type Stored,
} from "@orchernetes/apimachinery";
import { type Clock, type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import type { Client } from "../client.ts";
import type { ListOptions, SelectorOptions, WatchOptions } from "../resource/options.ts";
import { readList } from "../resource/read-list.ts";
import { type ResourceRef, resourcePath, type WatchEvent } from "../resource/resource-ref.ts";
import { watchBatches } from "../resource/watch.ts";
import { TransportError } from "../transport/transport-error.ts";
import { createBackoff } from "./backoff.ts";

/** Receives what a reflector reads. Calls are in order and never concurrent. */
export interface ReflectorSink<T extends ApiObject> {
  /**
   * Called for each item of a list when it arrives, before {@link ReflectorSink.replace}: what the sink does not need is then not
   * kept until the last item is there. Events are not prepared.
   */
  prepare(item: Stored<T>): Stored<T>;
  /** All objects of the resource at `resourceVersion`. */
  replace(items: readonly Stored<T>[], resourceVersion: string): void;
  /** The sink is as new as this version, after a list, events or a bookmark. @default not needed */
  progressed?(resourceVersion: string): void;
  /** The events since then, in order and without bookmarks. */
  apply(events: readonly (WatchEvent<T> & { readonly type: "ADDED" | "MODIFIED" | "DELETED" })[]): void;
}

/** What a reflector reads, and how. */
export interface ReflectorOptions extends SelectorOptions {
  readonly namespace?: string;
  /** Requests only metadata (PartialObjectMetadata), and whole objects from servers that do not support it. */
  readonly metadataOnly?: boolean;
  /** Items per page of a list, if the server respects that: one that lists from its cache sends all items. @default 2500 */
  readonly pageSize?: number;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Makes a reflector end its watch and list at the latest version. */
export class Relist {
  #watching = new AbortController();
  #isRequested = false;

  request(): void {
    this.#isRequested = true;
    this.#watching.abort();
  }

  get isRequested(): boolean {
    return this.#isRequested;
  }

  /** Aborts when a list is requested. */
  get signal(): AbortSignal {
    return this.#watching.signal;
  }

  /** Whether a list was requested since the last call. */
  take(): boolean {
    if (!this.#isRequested) return false;
    this.#isRequested = false;
    this.#watching = new AbortController();
    return true;
  }
}

const metadataAccept = {
  list: "application/json;as=PartialObjectMetadataList;g=meta.o8s.io;v=v1,application/json",
  watch: "application/json;as=PartialObjectMetadata;g=meta.o8s.io;v=v1,application/json",
};

/**
 * Lists a resource and follows it by watches until the signal aborts. The first list may come from the server's cache
 * (resourceVersion 0). A watch that ends is resumed from the last version seen, bookmarks included. When the history after that
 * version is compacted (410), or the server returns an unexpected error or what cannot be read, the resource is listed again at the
 * latest version.
 * Retries back off from 0.2 s to 30 s with jitter; watches last a random time of 5 to 10 minutes, which spreads the load of
 * reconnecting clients.
 *
 * Resolves when the signal aborts; never rejects.
 */
export async function runReflector<T extends ApiObject>(
  client: Client,
  ref: ResourceRef<T>,
  sink: ReflectorSink<T>,
  options: ReflectorOptions,
  signal: AbortSignal,
  relist = new Relist(),
): Promise<void> {
  const { clock = systemClock, logger = silentLogger, random = Math.random, pageSize = 2500 } = options;
  const path = resourcePath(ref, options.namespace || undefined);
  const selector: SelectorOptions = {
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
    ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
  };
  const backoff = createBackoff({ initialMs: 200, maxMs: 30_000, random });
  /**
   * Version to list at. "0" is served from the server's cache, however stale: at a start of many clients that costs
   * the store nothing. "" is the latest, read from the store.
   */
  let listAt = "0";
  /** Version to watch from; undefined when a list is needed. */
  let seen: string | undefined;

  const list = async (): Promise<void> => {
    const items: Stored<T>[] = [];
    const page = (query: ListOptions): Promise<ListMeta> =>
      readList<T>(
        client,
        {
          path,
          query: { ...selector, ...query } as Readonly<Record<string, string>>,
          ...(options.metadataOnly ? { accept: metadataAccept.list } : {}),
          signal,
        },
        (item) => items.push(sink.prepare(item)),
      );
    let metadata = await page({ resourceVersion: listAt, limit: pageSize });
    // A continue token fixes the version, so the pages together are one consistent list.
    while (metadata.continue) metadata = await page({ limit: pageSize, continue: metadata.continue });
    seen = metadata.resourceVersion ?? "";
    sink.replace(items, seen);
    sink.progressed?.(seen);
  };

  const watch = async (from: string): Promise<void> => {
    const query: WatchOptions = {
      ...selector,
      resourceVersion: from,
      allowWatchBookmarks: true,
      timeoutSeconds: Math.round(300 + random() * 300),
      signal: AbortSignal.any([signal, relist.signal]),
    };
    const startedAt = clock.monotonicMs();
    let progressed = false;
    for await (const batch of watchBatches<T>(
      client,
      path,
      query,
      options.metadataOnly ? metadataAccept.watch : undefined,
    )) {
      progressed = true;
      backoff.reset();
      const last = batch.at(-1);
      const changes = batch.filter((event) => event.type !== "BOOKMARK");
      if (changes.length > 0) sink.apply(changes);
      // Set after the sink has processed the batch: an error in between repeats the events, and nothing is lost.
      if (last !== undefined) {
        seen = last.object.metadata.resourceVersion;
        sink.progressed?.(seen);
      }
    }
    // A server that ends watches as soon as they begin must not be called in a tight loop.
    if (!progressed && clock.monotonicMs() - startedAt < 1000) await clock.sleep(backoff.next(), signal);
  };

  while (!signal.aborted) {
    try {
      if (relist.take()) [seen, listAt] = [undefined, ""];
      if (seen === undefined) await list();
      else await watch(seen);
    } catch (error) {
      if (signal.aborted) break;
      if (relist.isRequested) continue;
      const delayMs = backoff.next();
      logFailure(logger, { resource: ref.plural, watched: seen !== undefined, error, delayMs });
      if (isExpired(error)) {
        // A server whose cache is stale could return a list at the compacted version again, and so forever.
        [seen, listAt] = [undefined, ""];
      } else if (isUnreadable(error)) {
        // A resumed watch would begin with the same event and end there again.
        if (seen !== undefined) listAt = "";
        seen = undefined;
      } else if (!(error instanceof TransportError) && !isTooManyRequests(error)) {
        // An unreachable or busy server says nothing about the history, so the watch is resumed; any other error may
        // mean that the version cannot be watched, so the resource is listed again.
        if (error instanceof ApiError && seen !== undefined) listAt = "";
        seen = undefined;
      }
      await clock.sleep(delayMs, signal).catch(() => undefined);
    }
  }
}

/** Whether a response arrived that is not what it should be. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof TransportError && error.sent && error.code === "EPROTO";

function logFailure(
  logger: Logger,
  failure: { readonly resource: string; readonly watched: boolean; readonly error: unknown; readonly delayMs: number },
): void {
  const { resource, watched, delayMs } = failure;
  const error = String(failure.error);
  if (isExpired(failure.error)) logger.v(4)?.info("Watched history was compacted, listing again", { resource, error });
  else logger.warn(`Failed to ${watched ? "watch" : "list"}`, { resource, error, retryMs: Math.round(delayMs) });
}
