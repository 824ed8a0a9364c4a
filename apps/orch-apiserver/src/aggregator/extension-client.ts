import type { Registry } from "@orchernetes/apiserver";
import { messageOf } from "@orchernetes/kernel";
import type { DestinationResolver } from "../dial/destination-resolver.ts";
import type { RemoteApiService } from "./api-service-table.ts";
import type { ExtensionConnections } from "./extension-connections.ts";
import { type ExtensionAnswer, fetchDocument } from "./extension-request.ts";
import { type Identity, identityHeaders } from "./identity-headers.ts";
import { type Address, type Routing, resolveService } from "./service-resolver.ts";

/** A document that the server itself requests. */
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

/** Parts of an {@link ExtensionClient}. */
export interface ExtensionClientOptions {
  readonly connections: ExtensionConnections;
  readonly registry: Registry;
  readonly routing: Routing;
  readonly destinations: DestinationResolver;
}

/** Sends requests to extension servers, at the addresses of their services. */
export class ExtensionClient {
  readonly connections: ExtensionConnections;
  readonly #registry: Registry;
  readonly #routing: Routing;
  readonly #destinations: DestinationResolver;

  constructor(options: ExtensionClientOptions) {
    this.connections = options.connections;
    this.#registry = options.registry;
    this.#routing = options.routing;
    this.#destinations = options.destinations;
  }

  /** @throws Error, also ApiError: NotFound when there is no address, BadRequest when it is this server's own */
  async resolve(remote: RemoteApiService): Promise<Address> {
    const { host: name, port } = await resolveService(this.#registry, remote, this.#routing);
    const { namespace, name: service } = remote.service;
    return { name, ...(await this.#destinations.resolve(name, port, "any", `service "${namespace}/${service}"`)) };
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
      const text = messageOf(error);
      throw new Error(`failing or missing response from ${url}: ${text}`, { cause: error });
    }
  }
}
