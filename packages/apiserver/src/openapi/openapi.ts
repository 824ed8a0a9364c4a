import { createHash } from "node:crypto";
import {
  DeleteOptions,
  type DocumentationSource,
  type GroupVersionKind,
  genericServerResponse,
  listSchemaOf,
  type MessageSchema,
  notAcceptable,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import { type EventLoop, OwnTurns } from "@orchernetes/kernel";
import { parseAccept } from "../http/media-type.ts";
import { jsonType } from "../http/negotiate.ts";
import type { RequestState } from "../http/request-state.ts";
import { sendBytes } from "../http/respond.ts";
import type { Aggregator, GroupVersion, HandlerTable } from "../interfaces/index.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { encodeDocument } from "./gnostic.ts";
import { mergeRemote } from "./merge-remote.ts";
import { PathBuilder } from "./paths.ts";
import { SchemaCollector } from "./schemas.ts";

/** The options of OpenAPI documents. */
export interface OpenApiOptions {
  readonly registry: ResourceRegistry;
  readonly handlers: HandlerTable;
  readonly version: Readonly<Record<string, string>>;
  /** Loads the descriptions; called for each document that is built. @default there are none */
  readonly documentation: (() => Promise<DocumentationSource>) | undefined;
  /** Whether fields with a fixed set of values list them. */
  readonly enums: boolean;
  /** Provides the documents of other servers. */
  readonly aggregator: Aggregator | undefined;
  readonly loop: EventLoop;
}

/** Serves `/openapi/v2` and `/openapi/v3`. */
export interface OpenApi {
  /**
   * Serves a request; resolves when the response is sent.
   *
   * @param parts the path after `/openapi/`
   * @throws ApiError NotFound, NotAcceptable
   */
  serve(state: RequestState, parts: readonly string[]): Promise<void>;
}

/**
 * Creates what serves `/openapi/v2` and `/openapi/v3`. Documents are generated from the definitions at the first
 * request, and kept as bytes until definitions change. The descriptions are loaded for that and released afterwards.
 */
export function createOpenApi(options: OpenApiOptions): OpenApi {
  return new OpenApiDocuments(options);
}

const askedProtobufType = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
/** "@" is not allowed in a media type. Clients send it in Accept, but cannot parse a Content-Type with it. */
const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

interface Bytes {
  readonly body: Buffer;
  readonly hash: string;
}

const hashOf = (body: Buffer): string => createHash("sha512").update(body).digest("hex").toUpperCase();
const bytesOf = (body: Buffer): Bytes => ({ body, hash: hashOf(body) });

class OpenApiDocuments implements OpenApi {
  readonly #options: OpenApiOptions;
  #generation = -1;
  /** Documents by key, including those being built: concurrent requests wait for the same one. */
  readonly #documents = new Map<string, Promise<Bytes>>();

  /** Lets documents be built one per turn of the event loop. */
  readonly #turns: OwnTurns;

  constructor(options: OpenApiOptions) {
    this.#options = options;
    this.#turns = new OwnTurns(options.loop);
  }

  async serve(state: RequestState, [version, ...rest]: readonly string[]): Promise<void> {
    const { generation } = this.#options.registry;
    if (generation !== this.#generation) {
      this.#documents.clear();
      this.#generation = generation;
    }
    if (version === "v2" && rest.length === 0) await this.#version2(state);
    else if (version === "v3" && rest.length === 0) this.#send(state, jsonType, await this.#completeIndex(), {});
    else if (version === "v3") await this.#groupVersion(state, rest.join("/"));
    else throw genericServerResponse({ code: 404 });
  }

  #send(
    state: RequestState,
    contentType: string,
    { body, hash }: Bytes,
    headers: Readonly<Record<string, string>>,
  ): void {
    const etag = `"${hash}"`;
    const all = { etag, vary: "Accept", ...headers };
    if (state.req.headers["if-none-match"] === etag) sendBytes(state, 304, contentType, "", all);
    else sendBytes(state, 200, contentType, body, all);
  }

  #remembered(key: string, make: () => Promise<Buffer>): Promise<Bytes> {
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const making = make().then(bytesOf);
    this.#documents.set(key, making);
    // A failed build is retried at the next request.
    making.catch(() => {
      if (this.#documents.get(key) === making) this.#documents.delete(key);
    });
    return making;
  }

  /**
   * Loads the descriptions and waits for a turn: one document is built at a time, and other requests are served in
   * between.
   */
  async #texts(): Promise<DocumentationSource> {
    const texts = await this.#options.documentation?.();
    await this.#turns.next();
    return texts ?? (() => undefined);
  }

  async #version2(state: RequestState): Promise<void> {
    const accept = state.req.headers.accept ?? "";
    for (const { type } of parseAccept(accept === "" ? "*/*" : accept)) {
      if (type === jsonType || type === "*/*" || type === "application/*") {
        this.#send(state, jsonType, await this.#merged("v2", (document) => Buffer.from(JSON.stringify(document))), {});
        return;
      }
      if (type === askedProtobufType || type === protobufType) {
        this.#send(state, protobufType, await this.#merged("v2-protobuf", encodeDocument), {});
        return;
      }
    }
    throw notAcceptable([jsonType, protobufType]);
  }

  /** The document of all group versions, in one encoding. Its key contains the revision of other servers' documents. */
  async #merged(key: string, encode: (document: Readonly<Record<string, unknown>>) => Buffer): Promise<Bytes> {
    const remote = this.#hasRemotes() ? await this.#options.aggregator?.openApi.version2() : undefined;
    const full = `${key} ${remote?.revision ?? ""}`;
    for (const other of this.#documents.keys())
      if (other !== full && other.startsWith(`${key} `)) this.#documents.delete(other);
    return this.#remembered(full, async () => {
      const own = await this.#document2();
      if (remote === undefined) return encode(own);
      try {
        return encode(mergeRemote(own, remote.documents));
      } catch {
        // Something in the other documents cannot be encoded: the own one is served without them.
        return encode(own);
      }
    });
  }

  #hasRemotes(): boolean {
    return (this.#options.aggregator?.groupVersions().length ?? 0) > 0;
  }

  #collector(version: 2 | 3, documentation: DocumentationSource): SchemaCollector {
    const { registry, enums } = this.#options;
    return new SchemaCollector(version, { gvks: gvksOf(registry.definitions()), documentation, enums });
  }

  #info(): object {
    return { title: "Orchernetes", version: this.#options.version.gitVersion ?? "v1.27.0" };
  }

  async #document2(): Promise<Readonly<Record<string, unknown>>> {
    const texts = await this.#texts();
    const definitions = this.#options.registry.definitions();
    const collector = this.#collector(2, texts);
    const paths = new PathBuilder(2, collector).paths(definitions, this.#options.handlers);
    return { swagger: "2.0", info: this.#info(), paths, definitions: collector.definitions() };
  }

  #groupVersions(): ReadonlyMap<string, readonly ResourceDefinition[]> {
    const found = new Map<string, ResourceDefinition[]>();
    for (const definition of this.#options.registry.definitions()) {
      const { group, version } = definition;
      const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
      const known = found.get(path);
      if (known === undefined) found.set(path, [definition]);
      else known.push(definition);
    }
    return found;
  }

  #document3(path: string, definitions: readonly ResourceDefinition[]): Promise<Bytes> {
    return this.#remembered(`v3 ${path}`, async () => {
      const texts = await this.#texts();
      const collector = this.#collector(3, texts);
      const paths = new PathBuilder(3, collector).paths(definitions, this.#options.handlers);
      const components = { schemas: collector.definitions() };
      return Buffer.from(JSON.stringify({ openapi: "3.0.0", info: this.#info(), paths, components }));
    });
  }

  #index(): Promise<Bytes> {
    return this.#remembered("v3", async () => {
      // All are started in one turn: one that starts later could belong to a newer generation.
      const entries = [...this.#groupVersions()].map(async ([path, definitions]) => {
        const { hash } = await this.#document3(path, definitions);
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
      });
      const paths = Object.fromEntries(await Promise.all(entries));
      return Buffer.from(JSON.stringify({ paths }));
    });
  }

  /** The index of this server's documents and of those of other servers. */
  async #completeIndex(): Promise<Bytes> {
    const own = await this.#index();
    const remote = this.#hasRemotes() ? await this.#options.aggregator?.openApi.version3() : undefined;
    if (remote === undefined || remote.size === 0) return own;
    const { paths } = JSON.parse(own.body.toString()) as { readonly paths: Readonly<Record<string, unknown>> };
    const added = [...remote].map(([path, hash]) => {
      const query = hash === "" ? "" : `?hash=${encodeURIComponent(hash)}`;
      return [path, { serverRelativeURL: `/openapi/v3/${path}${query}` }];
    });
    return bytesOf(Buffer.from(JSON.stringify({ paths: { ...paths, ...Object.fromEntries(added) } })));
  }

  /** Forwards a request for a document of another server. Returns false if this server has the document. */
  async #delegated(state: RequestState, path: string): Promise<boolean> {
    const { aggregator } = this.#options;
    const target = groupVersionOf(path);
    if (aggregator === undefined || target === undefined || !aggregator.serves(target.group, target.version))
      return false;
    const asked = state.query.get("hash") ?? "";
    const hash = (await aggregator.openApi.version3()).get(path) ?? "";
    if (asked !== "" && hash !== "" && asked !== hash) {
      // The other server would redirect, too, but redirects are not forwarded.
      sendBytes(state, 301, jsonType, "", { location: `/openapi/v3/${path}?hash=${encodeURIComponent(hash)}` });
      return true;
    }
    const { user, info, auditId, req, res, signal } = state;
    res.setHeader("audit-id", auditId);
    await aggregator.proxy({ user, requestInfo: info, auditId, req, res, signal }, target);
    state.code = res.statusCode;
    return true;
  }

  async #groupVersion(state: RequestState, path: string): Promise<void> {
    if (await this.#delegated(state, path)) return;
    const definitions = this.#groupVersions().get(path);
    if (definitions === undefined) throw genericServerResponse({ code: 404 });
    const document = await this.#document3(path, definitions);
    const asked = state.query.get("hash");
    if (asked === null || asked === "") {
      this.#send(state, jsonType, document, {});
    } else if (asked !== document.hash) {
      sendBytes(state, 301, jsonType, "", { location: `/openapi/v3/${path}?hash=${document.hash}` });
    } else {
      // The URL contains the hash, so its content never changes.
      const expires = new Date(Date.parse("2100-01-01T00:00:00Z")).toUTCString();
      this.#send(state, jsonType, document, { "cache-control": "public, immutable", expires });
    }
  }
}

/** The group version of a path in the index; undefined for the core group, which no other server has. */
function groupVersionOf(path: string): GroupVersion | undefined {
  const [prefix, group, version, ...rest] = path.split("/");
  return prefix === "apis" && group && version && rest.length === 0 ? { group, version } : undefined;
}

/** Returns a function that finds the kinds of which a type is the schema. */
function gvksOf(definitions: readonly ResourceDefinition[]): (schema: MessageSchema) => readonly GroupVersionKind[] {
  const kinds = new Map<MessageSchema, GroupVersionKind[]>();
  const add = (schema: MessageSchema, gvk: GroupVersionKind): void => {
    const known = kinds.get(schema) ?? [];
    if (!known.some((other) => other.group === gvk.group && other.version === gvk.version && other.kind === gvk.kind))
      known.push(gvk);
    kinds.set(schema, known);
  };
  for (const { schema, group, version, kind, listKind, subresources } of definitions) {
    add(schema, { group, version, kind });
    // Typed clients send the DeleteOptions of their own group version, so they exist in every group version.
    add(DeleteOptions, { group, version, kind: "DeleteOptions" });
    add(listSchemaOf(schema, listKind), { group, version, kind: listKind ?? `${kind}List` });
    for (const subresource of Object.values(subresources ?? {})) {
      if (subresource.type === "handler" && subresource.schema !== undefined) {
        add(subresource.schema, { group: subresource.group, version: subresource.version, kind: subresource.kind });
      }
    }
  }
  return (schema) => kinds.get(schema) ?? [];
}
