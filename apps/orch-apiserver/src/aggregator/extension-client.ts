import type { Registry } from "@orchernetes/apiserver";
import { messageOf } from "@orchernetes/kernel";
import type { DestinationResolver } from "../dial/destination-resolver.ts";
import type { RemoteApiService } from "./api-service-table.ts";
import type { ExtensionConnections } from "./extension-connections.ts";
import { type ExtensionAnswer, fetchDocument } from "./extension-request.ts";
import { type Identity, identityHeaders } from "./identity-headers.ts";
import { type Address, type Routing, resolveService } from "./service-resolver.ts";

/** A request of this server itself, for discovery or OpenAPI. */
export interface DocumentRequest {
  readonly path: string;
  /** The user that the headers name. */
  readonly as: Identity;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether the certificate of the server is verified. @default true */
  readonly checked?: boolean;
}

/** Options of {@link ExtensionClient}. */
export interface ExtensionClientOptions {
  readonly connections: ExtensionConnections;
  readonly registry: Registry;
  readonly routing: Routing;
  readonly destinations: DestinationResolver;
}

/** Sends requests to extension servers at the addresses of their services. */
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

  /**
   * Returns an address of an extension server.
   *
   * @throws ApiError NotFound if there is no address, BadRequest if it is the listener of this server, which would forward to itself
   */
  async resolve(remote: RemoteApiService): Promise<Address> {
    const { host: name, port } = await resolveService(this.#registry, remote, this.#routing);
    const { namespace, name: service } = remote.service;
    return { name, ...(await this.#destinations.resolve(name, port, "any", `service "${namespace}/${service}"`)) };
  }

  /** Requests a document. @throws Error with the URL and the reason if there is no response */
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
