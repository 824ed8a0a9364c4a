import { setTimeout as sleep } from "node:timers/promises";
import { type ApiAccess, type RawObject, seenOf } from "./api-access.ts";
import type { WatchRecord, WatchSession } from "./history.ts";

/** Pause before a new connection after an error. */
const RECONNECT_MS = 50;
/** Milliseconds after which a connection is closed in any case: during a fault it may hang. */
const MAX_CONNECTION_MS = 2500;
/** Seconds after which the server ends a watch, with a bookmark. */
const SHORT_WATCH_SECONDS = 1;

interface RawEvent {
  readonly type: string;
  readonly object: RawObject & { readonly code?: number };
}

/**
 * A client that watches like an informer: from a list on, resumed when a connection breaks, and listing again only
 * after 410.
 */
export class WatchClient {
  readonly #client: number;
  readonly #access: ApiAccess;
  /** Everything recorded so far; a new session begins with every list. */
  readonly sessions: (WatchSession & { readonly records: WatchRecord[] })[] = [];
  #position = 0;
  #connections = 0;

  constructor(client: number, access: ApiAccess) {
    this.#client = client;
    this.#access = access;
  }

  /** The last revision that it has received. */
  get position(): number {
    return this.#position;
  }

  /** Watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    let listed = false;
    while (!signal.aborted) {
      try {
        if (!listed) await this.#list();
        listed = true;
        if ((await this.#watch(signal)) === "gone") listed = false;
      } catch {
        await sleep(RECONNECT_MS);
      }
    }
  }

  async #list(): Promise<void> {
    const { code, body } = await this.#access.send("GET", this.#access.path);
    if (code !== 200) throw new Error(`list returned ${code}`);
    this.#position = Number((body as RawObject).metadata.resourceVersion);
    this.sessions.push({ client: this.#client, after: this.#position, records: [] });
  }

  async #watch(signal: AbortSignal): Promise<"ended" | "gone"> {
    // Two of three watches are ended by the server, so that clients resume from bookmarks as well as from events.
    const end = this.#connections++ % 3 < 2 ? `&timeoutSeconds=${SHORT_WATCH_SECONDS}` : "";
    const path = `${this.#access.path}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.#position}${end}`;
    const records = this.sessions.at(-1)?.records ?? [];
    const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_CONNECTION_MS)]);
    for await (const line of this.#access.lines(path, limit)) {
      const event = JSON.parse(line) as RawEvent | { readonly kind: string; readonly code: number };
      if (!("type" in event)) {
        if (event.code === 410) return "gone";
        throw new Error(`watch returned ${event.code}`);
      }
      if (event.type === "ERROR") {
        if (event.object.code === 410) return "gone";
        throw new Error(`watch ended with ${event.object.code}`);
      }
      const seen = seenOf(event.object);
      this.#position = Math.max(this.#position, seen.revision);
      if (event.type === "BOOKMARK") records.push({ type: "BOOKMARK", revision: seen.revision });
      else if (event.type === "ADDED" || event.type === "MODIFIED" || event.type === "DELETED")
        records.push({ type: event.type, seen });
    }
    return "ended";
  }
}
