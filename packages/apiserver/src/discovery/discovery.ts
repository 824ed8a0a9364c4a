import { createHash } from "node:crypto";
import { type DocumentationSource, genericServerResponse, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { EventLoop } from "@orchernetes/kernel";
import { sendValue } from "../handlers/send-object.ts";
import { jsonType, type Negotiator } from "../http/negotiate.ts";
import { claimsGroup, sendNotFoundPage } from "../http/not-found-page.ts";
import type { RequestState } from "../http/request-state.ts";
import { sendBytes } from "../http/respond.ts";
import type { Aggregator, HandlerTable, ServerFeatures } from "../interfaces/index.ts";
import { createOpenApi, type OpenApi } from "../openapi/openapi.ts";
import { apiResource, discoveredResources } from "../registry/discovered-resources.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { aggregatedForm, aggregatedList, aggregatedType } from "./aggregated.ts";
import { apiGroup, type ServedGroup, servedGroups } from "./groups.ts";

/** The options of discovery. */
export interface DiscoveryOptions {
  readonly registry: ResourceRegistry;
  readonly handlers: HandlerTable;
  readonly negotiator: Negotiator;
  readonly aggregator: Aggregator | undefined;
  readonly version: Readonly<Record<string, string>>;
  readonly advertiseAddress: string | undefined;
  readonly documentation: (() => Promise<DocumentationSource>) | undefined;
  readonly loop: EventLoop;
  readonly features: Pick<ServerFeatures, "aggregatedDiscovery" | "openApiEnums" | "storageVersionHash">;
}

/** Serves the paths that describe what a server serves. */
export interface Discovery {
  /**
   * Serves a request for one of these paths. Returns false for other paths; otherwise the response is sent, or will be
   * when the promise resolves.
   *
   * @throws ApiError MethodNotAllowed, NotFound, NotAcceptable; also as a rejection
   */
  serve(state: RequestState): boolean | Promise<void>;
}

/** Creates what serves `/api`, `/apis`, the documents below them, `/version` and `/openapi/…`. */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  return new DiscoveryDocuments(options);
}

/**
 * An aggregated document. It is large and requested by every start of a client, so bytes and ETag are kept until
 * something changes.
 */
interface RememberedDocument {
  readonly body: Buffer;
  readonly etag: string;
}

class DiscoveryDocuments implements Discovery {
  readonly #options: DiscoveryOptions;
  readonly #openApi: OpenApi;
  /** Generations of registry and aggregator that the remembered documents belong to. */
  #generation = "";
  readonly #aggregated = new Map<string, RememberedDocument>();

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#openApi = createOpenApi({ ...options, enums: options.features.openApiEnums });
  }

  serve(state: RequestState): boolean | Promise<void> {
    const { path } = state.info;
    const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const parts = trimmed.split("/").slice(1);
    const [first] = parts;
    if (first !== "api" && first !== "apis" && first !== "version" && first !== "openapi") return false;
    const { method } = state.req;
    if (first === "version" && parts.length > 1) return false;
    if (method !== "GET" && method !== "HEAD") throw genericServerResponse({ code: 405 });
    if (first === "openapi") return this.#openApi.serve(state, parts.slice(1));
    if (first === "version") return this.#send(state, this.#options.version) ?? true;
    return (first === "api" ? this.#core(state, parts) : this.#named(state, parts)) ?? true;
  }

  #definitions(): readonly ResourceDefinition[] {
    return this.#options.registry.definitions();
  }

  #groups(): readonly ServedGroup[] {
    const { aggregator } = this.#options;
    if (aggregator === undefined) return servedGroups(this.#definitions(), []);
    const rankOf = (group: string, version: string) => aggregator.rank(group, version);
    return servedGroups(this.#definitions(), aggregator.groupVersions(), rankOf);
  }

  #send(state: RequestState, value: object): Promise<void> | undefined {
    return sendValue(state, 200, value, this.#options.negotiator.negotiate(state.req.headers.accept));
  }

  /** `/api` and `/api/v1`. */
  #core(state: RequestState, parts: readonly string[]): Promise<void> | undefined {
    const [, version, ...rest] = parts;
    const versions = this.#coreVersions();
    if (version === undefined) {
      if (this.#sendAggregated(state, "core", versions.length === 0 ? [] : [{ name: "", versions }])) return;
      const serverAddress = this.#options.advertiseAddress ?? "";
      return this.#send(state, {
        kind: "APIVersions",
        versions,
        serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
      });
    }
    if (rest.length > 0 || !versions.includes(version)) throw genericServerResponse({ code: 404 });
    return this.#resources(state, "", version);
  }

  #coreVersions(): readonly string[] {
    const versions = this.#definitions()
      .filter(({ group }) => group === "")
      .map(({ version }) => version);
    return [...new Set(versions)];
  }

  /** `/apis`, `/apis/GROUP` and `/apis/GROUP/VERSION`. */
  #named(state: RequestState, parts: readonly string[]): Promise<void> | undefined {
    const [, group, version, ...rest] = parts;
    const groups = this.#groups();
    if (group === undefined) {
      if (this.#sendAggregated(state, "named", groups)) return undefined;
      return this.#send(state, { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(apiGroup) });
    }
    const found = groups.find(({ name }) => name === group);
    const isServed = version === undefined || found?.versions.includes(version) === true;
    if (found === undefined || rest.length > 0 || !isServed) {
      if (claimsGroup(this.#definitions(), group)) throw genericServerResponse({ code: 404 });
      sendNotFoundPage(state);
      return undefined;
    }
    if (version === undefined) {
      return this.#send(state, { kind: "APIGroup", apiVersion: "v1", ...apiGroup(found) });
    }
    return this.#resources(state, group, version);
  }

  #resources(state: RequestState, group: string, version: string): Promise<void> | undefined {
    const { handlers, features } = this.#options;
    const { storageVersionHash } = features;
    const own = this.#definitions().filter(
      (definition) => definition.group === group && definition.version === version,
    );
    return this.#send(state, {
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: group === "" ? version : `${group}/${version}`,
      resources: discoveredResources(own, handlers).map((resource) => apiResource(resource, storageVersionHash)),
    });
  }

  /**
   * Responds with the aggregated document if the client requests that, or 304 if it has it. Returns false otherwise.
   */
  #sendAggregated(state: RequestState, which: string, groups: readonly ServedGroup[]): boolean {
    if (!this.#options.features.aggregatedDiscovery) return false;
    const form = aggregatedForm(state.req.headers.accept);
    if (form === undefined) return false;
    const { aggregator, registry } = this.#options;
    const generation = `${registry.generation}/${aggregator?.generation ?? 0}`;
    if (generation !== this.#generation) {
      this.#aggregated.clear();
      this.#generation = generation;
    }
    const key = `${which} ${form.group}/${form.version} ${groups.map(({ name }) => name).join()}`;
    let document = this.#aggregated.get(key);
    if (document === undefined) {
      const elsewhere = aggregator?.groupVersions() ?? [];
      const list = aggregatedList(form, groups, this.#definitions(), this.#options.handlers, elsewhere);
      const body = Buffer.from(JSON.stringify(list));
      document = { body, etag: `"${createHash("sha256").update(body).digest("hex").toUpperCase()}"` };
      this.#aggregated.set(key, document);
    }
    const headers = { etag: document.etag, vary: "Accept", "cache-control": "public" };
    if (state.req.headers["if-none-match"] === document.etag) {
      sendBytes(state, 304, jsonType, "", headers);
      return true;
    }
    sendBytes(state, 200, aggregatedType(form), document.body, headers);
    return true;
  }
}
