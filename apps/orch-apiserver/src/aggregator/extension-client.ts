import type { Registry } from "@orchernetes/apiserver";
import type { RemoteApiService } from "./api-service-table.ts";
import type { ExtensionConnections } from "./extension-connections.ts";
import { type ExtensionAnswer, fetchDocument } from "./extension-request.ts";
import { type Identity, identityHeaders } from "./identity-headers.ts";
import { type Address, type Routing, resolveService } from "./service-resolver.ts";

/** A document that the server itself asks for. */
export interface DocumentRequest {
  readonly path: string;
  readonly as: Identity;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether the server must prove who it is. @default true */
  readonly checked?: boolean;
}

/** Asks extension servers, wherever their services lead. */
export class ExtensionClient {
  readonly connections: ExtensionConnections;
  readonly #registry: () => Registry;
  readonly #routing: Routing;

  constructor(connections: ExtensionConnections, registry: () => Registry, routing: Routing) {
    this.connections = connections;
    this.#registry = registry;
    this.#routing = routing;
  }

  /** @throws Error, also ApiError NotFound: there is no address */
  resolve(remote: RemoteApiService): Promise<Address> {
    return resolveService(this.#registry(), remote, this.#routing);
  }

  /** @throws Error when it cannot be had */
  async fetch(remote: RemoteApiService, request: DocumentRequest): Promise<ExtensionAnswer & { readonly url: string }> {
    const { path, as, headers = {}, signal, checked = true } = request;
    const address = await this.resolve(remote);
    const url = `https://${address.host}:${address.port}${path}`;
    const { connections } = this;
    const agent = checked ? connections.agent(remote) : connections.uncheckedAgent(remote);
    const all = { accept: "application/json", ...headers, ...identityHeaders(as) };
    try {
      return { ...(await fetchDocument({ address, agent, path, headers: all, signal }, request)), url };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`failing or missing response from ${url}: ${text}`, { cause: error });
    }
  }
}
