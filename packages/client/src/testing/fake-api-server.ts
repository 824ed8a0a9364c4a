import { randomUUID } from "node:crypto";
import http from "node:http";
import { createSecureServer, type Http2ServerResponse } from "node:http2";
import https from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import {
  type ApiError,
  alreadyExists,
  conflict,
  type Draft,
  failure,
  notFound,
  type ObjectMeta,
  resourceExpired,
  type Status,
} from "@orchernetes/apimachinery";
import { type Connection, connectionOf, type HttpRequest, type HttpResponse } from "@orchernetes/kernel";

/** An object in the fake server. */
export interface FakeObject {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  metadata: Record<string, unknown> & Draft<Pick<ObjectMeta, "name" | "namespace" | "resourceVersion" | "uid">>;
  [field: string]: unknown;
}

interface Change {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly collection: string;
  readonly object: FakeObject;
}

interface Watcher {
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly response: HttpResponse;
}

/** A request that the fake server received. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** The same object for all requests on a connection. */
  readonly connection: Connection;
}

/** A response that a hook returns instead of the fake server's own. */
export interface CannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * An in-memory API server for unit tests: CRUD, merge patch, finalizers, lists with `limit`, watches with resume, 410
 * after {@link FakeApiServer.compact}. It validates and defaults nothing and is independent of kinds.
 */
export interface FakeApiServer {
  /** Address for a client, with its port. */
  readonly url: string;
  /** All requests in the order of arrival. */
  readonly requests: SeenRequest[];
  /** Runs before every request; an answer replaces the fake's own. "drop" closes the connection, "hang" never answers. */
  hook: ((request: SeenRequest) => CannedAnswer | "drop" | "hang" | undefined) | undefined;
  /** Sets what a real server would set when an object is created, such as an empty status. */
  prepare: ((collection: string, object: FakeObject) => FakeObject) | undefined;
  /** Objects of a collection such as `/api/v1/pods` or `/apis/apps/v1/replicasets`, in key order. */
  objects(collection: string): FakeObject[];
  /** Creates or replaces an object without a request; watchers see it. Returns it as stored. */
  put(collection: string, object: FakeObject): FakeObject;
  /** Deletes an object by `namespace/name` or `name` without a request; finalizers are ignored. */
  remove(collection: string, key: string): void;
  /** Compacts the history: watches from earlier versions fail with 410. */
  compact(): void;
  /** Ends all watches, as a restart would. */
  endWatches(): void;
  /** Sends a bookmark with the current version to every watcher. */
  sendBookmarks(): void;
  /** Ends watches, breaks connections and stops listening. */
  close(): Promise<void>;
}

/** Groups: group and version, namespace, plural, name, subresource. */
const pathPattern =
  /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/[^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

function keyOf(object: FakeObject): string {
  return object.metadata.namespace ? `${object.metadata.namespace}/${object.metadata.name}` : `${object.metadata.name}`;
}

function deliver(watcher: Watcher, { type, collection, object }: Change): void {
  if (watcher.collection !== collection) return;
  if (watcher.namespace !== undefined && watcher.namespace !== object.metadata.namespace) return;
  watcher.response.write(`${JSON.stringify({ type, object })}\n`);
}

/** The objects of the fake, their history, and the watchers that follow it. */
class FakeStore {
  revision = 100;
  compacted = 0;
  readonly watchers = new Set<Watcher>();
  readonly #collections = new Map<string, Map<string, FakeObject>>();
  readonly #history: Change[] = [];

  collection(path: string): Map<string, FakeObject> {
    let found = this.#collections.get(path);
    if (found === undefined) {
      found = new Map();
      this.#collections.set(path, found);
    }
    return found;
  }

  /** Objects in key order. */
  objects(collection: string): FakeObject[] {
    return [...this.collection(collection).values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  record(type: Change["type"], collection: string, object: FakeObject): FakeObject {
    this.revision += 1;
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.revision) } };
    if (type === "DELETED") this.collection(collection).delete(keyOf(written));
    else this.collection(collection).set(keyOf(written), written);
    const change = { revision: this.revision, type, collection, object: written };
    this.#history.push(change);
    for (const watcher of this.watchers) deliver(watcher, change);
    return written;
  }

  put(collection: string, object: FakeObject): FakeObject {
    const old = this.collection(collection).get(keyOf(object));
    const metadata: FakeObject["metadata"] = {
      uid: old?.metadata.uid ?? randomUUID(),
      creationTimestamp: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
      ...object.metadata,
    };
    const finalizers = metadata.finalizers as readonly unknown[] | undefined;
    const ended = metadata.deletionTimestamp !== undefined && (finalizers ?? []).length === 0;
    return this.record(ended ? "DELETED" : old === undefined ? "ADDED" : "MODIFIED", collection, {
      ...object,
      metadata,
    });
  }

  remove(collection: string, key: string): void {
    const object = this.collection(collection).get(key);
    if (object !== undefined) this.record("DELETED", collection, object);
  }

  compact(): void {
    this.compacted = this.revision;
    this.#history.length = 0;
  }

  endWatches(): void {
    for (const watcher of this.watchers) watcher.response.end();
    this.watchers.clear();
  }

  sendBookmarks(): void {
    for (const { response } of this.watchers) {
      const object = { metadata: { resourceVersion: String(this.revision) } };
      response.write(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
    }
  }

  list(collection: string, namespace: string | undefined, request: SeenRequest): unknown {
    const all = this.objects(collection).filter(
      (object) => namespace === undefined || object.metadata.namespace === namespace,
    );
    const limit = Number(request.query.get("limit") ?? 0);
    const from = Number(request.query.get("continue") || 0);
    const items = limit > 0 ? all.slice(from, from + limit) : all;
    const rest = all.length - from - items.length;
    return {
      kind: "List",
      apiVersion: "v1",
      metadata: {
        resourceVersion: String(this.revision),
        ...(rest > 0 ? { continue: String(from + items.length) } : {}),
      },
      items,
    };
  }

  watch(collection: string, namespace: string | undefined, request: SeenRequest, response: HttpResponse): undefined {
    const from = Number(request.query.get("resourceVersion") || 0);
    if (from < this.compacted) throw resourceExpired(`too old resource version: ${from} (${this.compacted})`);
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    const watcher = { collection, namespace, response };
    for (const change of this.#history) if (change.revision > from) deliver(watcher, change);
    this.watchers.add(watcher);
    response.once("close", () => this.watchers.delete(watcher));
  }
}

/** The collection or object that the path of a request names. */
interface Target {
  readonly collection: string;
  readonly resource: { readonly group: string; readonly plural: string };
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

function targetOf(path: string): Target {
  const match = pathPattern.exec(path);
  if (match === null) throw notFound({ group: "", plural: path }, "");
  const [, groupVersion = "", namespace, plural = "", name, subresource] = match;
  const group = groupVersion.startsWith("/apis/") ? (groupVersion.split("/")[2] ?? "") : "";
  return { collection: `${groupVersion}/${plural}`, resource: { group, plural }, namespace, name, subresource };
}

/** Creates the object of a request in a collection. */
function createObject(
  store: FakeStore,
  { collection, resource, namespace }: Target,
  request: SeenRequest,
  prepare: FakeApiServer["prepare"],
): FakeObject {
  const body = JSON.parse(request.body) as FakeObject;
  const name = body.metadata.name ?? `${body.metadata.generateName}${randomUUID().slice(0, 5)}`;
  const metadata = { ...body.metadata, name, ...(namespace === undefined ? {} : { namespace }) };
  if (store.collection(collection).has(keyOf({ metadata }))) throw alreadyExists(resource, name);
  const object = { ...body, metadata };
  return store.put(collection, prepare?.(collection, object) ?? object);
}

/** Answers a request for one object. */
function answerOne(
  store: FakeStore,
  { collection, resource, namespace, name = "", subresource }: Target,
  request: SeenRequest,
): unknown {
  const old = store.collection(collection).get(namespace === undefined ? name : `${namespace}/${name}`);
  if (request.method === "POST") return JSON.parse(request.body);
  if (old === undefined) throw notFound(resource, name);
  switch (request.method) {
    case "GET":
      return old;
    case "PUT": {
      const body = JSON.parse(request.body) as FakeObject;
      const sent = body.metadata.resourceVersion;
      if (sent !== undefined && sent !== "" && sent !== old.metadata.resourceVersion) {
        throw conflict(resource, name);
      }
      if (subresource === "status") return store.put(collection, { ...old, status: body.status });
      return store.put(collection, "status" in old ? { ...body, status: old.status } : body);
    }
    case "PATCH": {
      const patch = JSON.parse(request.body) as FakeObject;
      if (patch.metadata?.uid !== undefined && patch.metadata.uid !== old.metadata.uid) {
        throw conflict(resource, name, "the UID in the precondition does not match");
      }
      const expected = patch.metadata?.resourceVersion;
      if (expected !== undefined && expected !== old.metadata.resourceVersion) throw conflict(resource, name);
      return store.put(collection, mergePatch(old, patch) as FakeObject);
    }
    case "DELETE": {
      const options = request.body === "" ? {} : (JSON.parse(request.body) as { preconditions?: { uid?: string } });
      if (options.preconditions?.uid !== undefined && options.preconditions.uid !== old.metadata.uid) {
        throw conflict(resource, name, "the UID in the precondition does not match");
      }
      const finalizers = old.metadata.finalizers as readonly unknown[] | undefined;
      if (finalizers !== undefined && finalizers.length > 0) {
        return store.put(collection, {
          ...old,
          metadata: { ...old.metadata, deletionTimestamp: new Date().toISOString() },
        });
      }
      return store.record("DELETED", collection, old);
    }
  }
  throw notFound(resource, name);
}

/** Protocol and port of the fake server. */
export interface FakeApiServerOptions {
  /** Serves HTTPS with this material, in PEM. @default plain HTTP/1.1 */
  readonly tls?: { readonly cert: string; readonly key: string };
  /**
   * Concurrent requests on an HTTP/2 connection; false offers HTTP/1.1 only. Without `tls` it has no effect. @default
   * 250
   */
  readonly http2Streams?: number | false;
  /** Port of 127.0.0.1. @default a free one */
  readonly port?: number;
}

/**
 * Starts a fake server on 127.0.0.1. The caller closes it.
 *
 * @example
 * ```ts
 * const server = await startFakeApiServer();
 * server.put("/api/v1/nodes", { metadata: { name: "node-a" } });
 * const client = createClient({ server: server.url });
 * // …
 * await server.close();
 * ```
 */
export async function startFakeApiServer(options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
  const store = new FakeStore();
  const server: FakeApiServer = {
    url: "",
    requests: [],
    hook: undefined,
    prepare: undefined,
    objects: (collection) => store.objects(collection),
    put: (collection, object) => store.put(collection, object),
    remove: (collection, key) => store.remove(collection, key),
    compact: () => store.compact(),
    endWatches: () => store.endWatches(),
    sendBookmarks: () => store.sendBookmarks(),
    close: () => {
      store.endWatches();
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  const handle = (request: SeenRequest, response: HttpResponse): unknown => {
    const target = targetOf(request.path);
    const { collection, namespace, name } = target;
    if (name !== undefined) return answerOne(store, target, request);
    if (request.method === "POST") return createObject(store, target, request, server.prepare);
    if (request.method !== "GET") return answerOne(store, target, request);
    return request.query.get("watch") === "true"
      ? store.watch(collection, namespace, request, response)
      : store.list(collection, namespace, request);
  };
  const answer = (incoming: HttpRequest, response: HttpResponse): void => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const url = new URL(incoming.url ?? "/", "http://fake");
      const request: SeenRequest = {
        method: incoming.method ?? "GET",
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
        connection: connectionOf(incoming),
      };
      server.requests.push(request);
      const canned = server.hook?.(request);
      if (canned === "drop") {
        connectionOf(incoming).destroy();
        return;
      }
      if (canned === "hang") return;
      if (canned !== undefined) {
        response.writeHead(canned.status, { "content-type": "application/json", ...canned.headers });
        response.end(typeof canned.body === "string" ? canned.body : JSON.stringify(canned.body ?? {}));
        return;
      }
      try {
        const body = handle(request, response);
        if (body === undefined) return;
        response.writeHead(request.method === "POST" ? 201 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      } catch (error) {
        const status: Status = (error as ApiError).status ?? failure("InternalError", String(error));
        response.writeHead(status.code ?? 500, { "content-type": "application/json" });
        response.end(JSON.stringify(status));
      }
    });
  };
  const listener = listenerOf(options, answer);
  const sockets = new Set<Socket>();
  listener.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => listener.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  return Object.assign(server, { url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}` });
}

function listenerOf(
  { tls, http2Streams = 250 }: FakeApiServerOptions,
  answer: (request: HttpRequest, response: HttpResponse) => void,
): Server {
  if (tls === undefined) return http.createServer(answer);
  if (http2Streams === false) return https.createServer(tls, answer);
  return createSecureServer(
    { ...tls, allowHTTP1: true, settings: { maxConcurrentStreams: http2Streams } },
    (request, response) => answer(request, response as Http2ServerResponse & HttpResponse),
  );
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(typeof target === "object" && target !== null ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
