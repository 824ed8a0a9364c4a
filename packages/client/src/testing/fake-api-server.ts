import { randomUUID } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
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

/** An object as the fake keeps it. */
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
  readonly response: http.ServerResponse;
}

/** A request the fake has seen. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** What a hook may answer instead of the fake. */
export interface CannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * An in-memory API server: CRUD, merge patch, finalizers, lists with `limit`, watches with resume, 410 after
 * {@link FakeApiServer.compact}. It validates and defaults nothing and knows no kind.
 */
export interface FakeApiServer {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Runs before every request; an answer replaces the fake's own. "drop" cuts the connection, "hang" never answers. */
  hook: ((request: SeenRequest) => CannedAnswer | "drop" | "hang" | undefined) | undefined;
  /** Fills in what a real server would fill in, such as an empty status, when an object is created. */
  prepare: ((collection: string, object: FakeObject) => FakeObject) | undefined;
  /** Objects of a collection such as `/api/v1/pods` or `/apis/apps/v1/replicasets`, in key order. */
  objects(collection: string): FakeObject[];
  put(collection: string, object: FakeObject): FakeObject;
  remove(collection: string, key: string): void;
  /** Forgets history: watches from before now get 410. */
  compact(): void;
  /** Ends all watches, as a restart would. */
  endWatches(): void;
  sendBookmarks(): void;
  close(): Promise<void>;
}

const pathPattern =
  /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/[^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

export async function startFakeApiServer(): Promise<FakeApiServer> {
  const collections = new Map<string, Map<string, FakeObject>>();
  const history: Change[] = [];
  const watchers = new Set<Watcher>();
  let revision = 100;
  let compacted = 0;

  const collectionOf = (path: string): Map<string, FakeObject> => {
    let found = collections.get(path);
    if (found === undefined) {
      found = new Map();
      collections.set(path, found);
    }
    return found;
  };
  const keyOf = (object: FakeObject): string =>
    object.metadata.namespace ? `${object.metadata.namespace}/${object.metadata.name}` : `${object.metadata.name}`;

  const record = (type: Change["type"], collection: string, object: FakeObject): FakeObject => {
    revision += 1;
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    if (type === "DELETED") collectionOf(collection).delete(keyOf(written));
    else collectionOf(collection).set(keyOf(written), written);
    const change = { revision, type, collection, object: written };
    history.push(change);
    for (const watcher of watchers) deliver(watcher, change);
    return written;
  };
  const deliver = (watcher: Watcher, { type, collection, object }: Change): void => {
    if (watcher.collection !== collection) return;
    if (watcher.namespace !== undefined && watcher.namespace !== object.metadata.namespace) return;
    watcher.response.write(`${JSON.stringify({ type, object })}\n`);
  };
  const put = (collection: string, object: FakeObject): FakeObject => {
    const old = collectionOf(collection).get(keyOf(object));
    const metadata: FakeObject["metadata"] = {
      uid: old?.metadata.uid ?? randomUUID(),
      creationTimestamp: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
      ...object.metadata,
    };
    const finalizers = metadata.finalizers as readonly unknown[] | undefined;
    const ended = metadata.deletionTimestamp !== undefined && (finalizers ?? []).length === 0;
    return record(ended ? "DELETED" : old === undefined ? "ADDED" : "MODIFIED", collection, { ...object, metadata });
  };

  const server: FakeApiServer = {
    url: "",
    requests: [],
    hook: undefined,
    prepare: undefined,
    objects: (collection) => [...collectionOf(collection).values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    put,
    remove(collection, key) {
      const object = collectionOf(collection).get(key);
      if (object !== undefined) record("DELETED", collection, object);
    },
    compact() {
      compacted = revision;
      history.length = 0;
    },
    endWatches() {
      for (const watcher of watchers) watcher.response.end();
      watchers.clear();
    },
    sendBookmarks() {
      for (const { response } of watchers) {
        const object = { metadata: { resourceVersion: String(revision) } };
        response.write(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
      }
    },
    close: () => {
      server.endWatches();
      listener.closeAllConnections();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };

  const handle = (request: SeenRequest, response: http.ServerResponse): unknown => {
    const match = pathPattern.exec(request.path);
    if (match === null) throw notFound({ group: "", plural: request.path }, "");
    const [, groupVersion = "", namespace, plural = "", name, subresource] = match;
    const collection = `${groupVersion}/${plural}`;
    const resource = { group: groupVersion.startsWith("/apis/") ? (groupVersion.split("/")[2] ?? "") : "", plural };
    const objects = collectionOf(collection);
    const key = namespace === undefined ? (name ?? "") : `${namespace}/${name}`;
    const existing = (): FakeObject => {
      const found = objects.get(key);
      if (found === undefined) throw notFound(resource, name ?? "");
      return found;
    };
    if (name === undefined) {
      switch (request.method) {
        case "GET":
          return request.query.get("watch") === "true"
            ? watch(collection, namespace, request, response)
            : list(collection, namespace, request);
        case "POST": {
          const body = JSON.parse(request.body) as FakeObject;
          const generated = body.metadata.name ?? `${body.metadata.generateName}${randomUUID().slice(0, 5)}`;
          const metadata = { ...body.metadata, name: generated, ...(namespace === undefined ? {} : { namespace }) };
          if (objects.has(keyOf({ metadata }))) throw alreadyExists(resource, generated);
          const object = { ...body, metadata };
          return put(collection, server.prepare?.(collection, object) ?? object);
        }
      }
    }
    switch (request.method) {
      case "GET":
        return existing();
      case "POST":
        return JSON.parse(request.body);
      case "PUT": {
        const old = existing();
        const body = JSON.parse(request.body) as FakeObject;
        const sent = body.metadata.resourceVersion;
        if (sent !== undefined && sent !== "" && sent !== old.metadata.resourceVersion) {
          throw conflict(resource, name ?? "");
        }
        if (subresource === "status") return put(collection, { ...old, status: body.status });
        return put(collection, "status" in old ? { ...body, status: old.status } : body);
      }
      case "PATCH": {
        const old = existing();
        const patch = JSON.parse(request.body) as FakeObject;
        if (patch.metadata?.uid !== undefined && patch.metadata.uid !== old.metadata.uid) {
          throw conflict(resource, name ?? "", "the UID in the precondition does not match");
        }
        return put(collection, mergePatch(old, patch) as FakeObject);
      }
      case "DELETE": {
        const old = existing();
        const options = request.body === "" ? {} : (JSON.parse(request.body) as { preconditions?: { uid?: string } });
        if (options.preconditions?.uid !== undefined && options.preconditions.uid !== old.metadata.uid) {
          throw conflict(resource, name ?? "", "the UID in the precondition does not match");
        }
        const finalizers = old.metadata.finalizers as readonly unknown[] | undefined;
        if (finalizers !== undefined && finalizers.length > 0) {
          return put(collection, {
            ...old,
            metadata: { ...old.metadata, deletionTimestamp: new Date().toISOString() },
          });
        }
        return record("DELETED", collection, old);
      }
    }
    throw notFound(resource, name ?? "");
  };

  const list = (collection: string, namespace: string | undefined, request: SeenRequest): unknown => {
    const all = server
      .objects(collection)
      .filter((object) => namespace === undefined || object.metadata.namespace === namespace);
    const limit = Number(request.query.get("limit") ?? 0);
    const from = Number(request.query.get("continue") || 0);
    const items = limit > 0 ? all.slice(from, from + limit) : all;
    const rest = all.length - from - items.length;
    return {
      kind: "List",
      apiVersion: "v1",
      metadata: { resourceVersion: String(revision), ...(rest > 0 ? { continue: String(from + items.length) } : {}) },
      items,
    };
  };
  const watch = (
    collection: string,
    namespace: string | undefined,
    request: SeenRequest,
    response: http.ServerResponse,
  ): undefined => {
    const from = Number(request.query.get("resourceVersion") || 0);
    if (from < compacted) throw resourceExpired(`too old resource version: ${from} (${compacted})`);
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    const watcher = { collection, namespace, response };
    for (const change of history) if (change.revision > from) deliver(watcher, change);
    watchers.add(watcher);
    response.once("close", () => watchers.delete(watcher));
  };

  const listener = http.createServer((incoming, response) => {
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
      };
      server.requests.push(request);
      const canned = server.hook?.(request);
      if (canned === "drop") {
        incoming.socket.destroy();
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
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  return Object.assign(server, { url: `http://127.0.0.1:${port}` });
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
