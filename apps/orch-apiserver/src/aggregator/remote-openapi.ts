import type { RemoteDocument, RemoteOpenApi } from "@orchernetes/apiserver";
import type { Clock } from "@orchernetes/kernel";
import { type ApiServiceTable, isAvailable, type RemoteApiService } from "./api-service-table.ts";
import type { ExtensionClient } from "./extension-client.ts";

/** Time in milliseconds for which a document is served without asking its server again. */
const freshMs = 60_000;
const timeoutMs = 5000;
const maxBytes = 16 * 1024 * 1024;

/** The user of requests for documents, as upstream. */
const reader = { name: "system:aggregator", groups: [], extra: {} };

/** A document as a server has sent it. */
interface Remembered {
  readonly etag: string | undefined;
  /** Undefined: the server has no such document. */
  readonly body: Buffer | undefined;
}

/** The document of a server at a path. */
interface Slot {
  /** The last attempt, also while it is in progress. */
  loading: Promise<Remembered>;
  loadedMs: number;
  /** The last document; served while a newer one is fetched. */
  value: Remembered | undefined;
  revision: number;
}

/** Options of {@link ExtensionOpenApi}. */
export interface OpenApiOptions {
  readonly table: ApiServiceTable;
  readonly client: ExtensionClient;
  readonly clock: Pick<Clock, "nowMs">;
  readonly signal: AbortSignal;
}

/**
 * The OpenAPI documents of extension servers. They are fetched on request, at most once a minute for each server. Only the first client
 * waits for them; later clients get the last document while a newer one is fetched.
 */
export class ExtensionOpenApi implements RemoteOpenApi {
  readonly #options: OpenApiOptions;
  readonly #slots = new Map<string, Slot>();
  #revisions = 0;

  constructor(options: OpenApiOptions) {
    this.#options = options;
  }

  async version2(): Promise<{ readonly revision: string; readonly documents: readonly RemoteDocument[] }> {
    const found = await this.#documents("/openapi/v2");
    const revision = found.map(({ key, slot, remotes }) => `${key}@${slot.revision}:${remotes.map((r) => r.name)}`);
    const documents = found.flatMap(({ body, remotes }) =>
      body === undefined ? [] : [{ body, groupVersions: remotes }],
    );
    return { revision: revision.join(), documents };
  }

  async version3(): Promise<ReadonlyMap<string, string>> {
    const hashes = new Map<string, string>();
    for (const { body, remotes } of await this.#documents("/openapi/v3")) {
      const paths = body === undefined ? undefined : pathsOf(body);
      for (const { group, version } of remotes) {
        const path = `apis/${group}/${version}`;
        const hash = paths?.get(path);
        if (hash !== undefined) hashes.set(path, hash);
      }
    }
    return hashes;
  }

  /** Returns the document at a path of each available server, with the APIServices of the server. */
  async #documents(path: string): Promise<
    readonly {
      readonly key: string;
      readonly slot: Slot;
      readonly body: Buffer | undefined;
      readonly remotes: readonly RemoteApiService[];
    }[]
  > {
    const servers = new Map<string, RemoteApiService[]>();
    for (const remote of this.#options.table.remotes()) {
      if (remote.group === "" || !isAvailable(remote.apiService)) continue;
      const { namespace, name, port } = remote.service;
      const key = `${path} ${namespace}/${name}:${port}`;
      const known = servers.get(key);
      if (known === undefined) servers.set(key, [remote]);
      else known.push(remote);
    }
    for (const key of this.#slots.keys()) if (key.startsWith(`${path} `) && !servers.has(key)) this.#slots.delete(key);
    return Promise.all(
      [...servers].map(async ([key, remotes]) => {
        const slot = this.#slot(key, path, remotes);
        const { body } = slot.value ?? (await slot.loading);
        return { key, slot, body, remotes };
      }),
    );
  }

  #slot(key: string, path: string, remotes: readonly RemoteApiService[]): Slot {
    const now = this.#options.clock.nowMs();
    const known = this.#slots.get(key);
    if (known !== undefined && now - known.loadedMs < freshMs) return known;
    const loading = this.#load(remotes[0], path, known?.value);
    const slot = known ?? { loading, loadedMs: now, value: undefined, revision: 0 };
    slot.loading = loading;
    slot.loadedMs = now;
    this.#slots.set(key, slot);
    void loading.then((value) => {
      if (slot.value !== undefined && slot.value.body !== value.body) slot.revision = ++this.#revisions;
      slot.value = value;
    });
    return slot;
  }

  /** Fetches a document. If that fails, the result is the previous document, or none; it never rejects. */
  async #load(remote: RemoteApiService | undefined, path: string, before: Remembered | undefined): Promise<Remembered> {
    const nothing = before ?? { etag: undefined, body: undefined };
    if (remote === undefined) return nothing;
    try {
      const { client, signal } = this.#options;
      const { etag } = nothing;
      const { status, headers, body } = await client.fetch(remote, {
        path,
        as: reader,
        headers: etag === undefined ? {} : { "if-none-match": etag },
        maxBytes,
        timeoutMs,
        signal,
      });
      if (status === 304) return nothing;
      if (status !== 200) return { etag: undefined, body: undefined };
      return { etag: headers.etag, body };
    } catch {
      return nothing;
    }
  }
}

/** Returns the hashes in an index of OpenAPI v3 by path; undefined if the text is not an index. */
function pathsOf(body: Buffer): ReadonlyMap<string, string> | undefined {
  try {
    const { paths } = JSON.parse(body.toString("utf8")) as { readonly paths?: unknown };
    if (typeof paths !== "object" || paths === null) return undefined;
    return new Map(
      Object.entries(paths).map(([path, entry]) => {
        const url: unknown = (entry as { readonly serverRelativeURL?: unknown } | null)?.serverRelativeURL;
        const query = typeof url === "string" ? (url.split("?")[1] ?? "") : "";
        return [path, new URLSearchParams(query).get("hash") ?? ""];
      }),
    );
  } catch {
    return undefined;
  }
}
