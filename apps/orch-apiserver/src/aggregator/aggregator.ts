import type { OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError, failure, isNotFound, serviceUnavailable } from "@orchernetes/apimachinery";
import type {
  Aggregator,
  GroupVersion,
  GroupVersionRank,
  NonResourceContext,
  RemoteGroupVersion,
  RemoteOpenApi,
} from "@orchernetes/apiserver";
import { messageOf } from "@orchernetes/kernel";
import { type CertificateDeprecation, deprecationOfError, deprecationsOfPeer } from "@orchernetes/tls";
import { bracketed } from "../node-proxy/http-proxy.ts";
import { proxyUpgrade } from "../node-proxy/upgrade-proxy.ts";
import { type ApiServiceTable, isAvailable, type RemoteApiService } from "./api-service-table.ts";
import type { AvailabilityController } from "./availability-controller.ts";
import type { ExtensionClient } from "./extension-client.ts";
import { forwardRequest, redirectRefused, sendText } from "./forward-request.ts";
import { type Forwarding, forwardedHeaders } from "./identity-headers.ts";
import type { Address } from "./service-resolver.ts";

/** Time limit of discovery requests, in milliseconds: every client makes them, so a slow server must not delay them. */
const discoveryTimeoutMs = 5000;
const upgradeTimeoutMs = 30_000;
const unavailable = "service unavailable";

/** Options of {@link ExtensionAggregator}. */
export interface AggregatorOptions {
  readonly table: ApiServiceTable;
  readonly availability: AvailabilityController;
  readonly client: ExtensionClient;
  readonly openApi: RemoteOpenApi;
  readonly rejectRedirects: boolean;
  readonly identifying: Forwarding["identifying"];
  readonly onError: (error: unknown, name: string) => void;
  /** Called for each request by what is deprecated in the certificate of the other server. */
  readonly onDeprecated: (what: CertificateDeprecation) => void;
}

/**
 * Forwards the requests for a group version to the service that its APIService names. The request keeps its user, which is sent in
 * headers, but not its credentials.
 */
export class ExtensionAggregator implements Aggregator {
  readonly #options: AggregatorOptions;
  #seen = -1;
  #groupVersions: readonly RemoteGroupVersion[] = [];

  constructor(options: AggregatorOptions) {
    this.#options = options;
  }

  get generation(): number {
    return this.#options.table.generation + this.#options.availability.generation;
  }

  get openApi(): RemoteOpenApi {
    return this.#options.openApi;
  }

  serves(group: string, version: string): boolean {
    return this.#options.table.remote(group, version) !== undefined;
  }

  rank(group: string, version: string): GroupVersionRank {
    return this.#options.table.rank(group, version);
  }

  groupVersions(): readonly RemoteGroupVersion[] {
    const { generation } = this;
    if (generation !== this.#seen) {
      this.#seen = generation;
      this.#groupVersions = [...this.#options.table.remotes()].map(({ name, group, version }) => {
        const discovered = this.#options.availability.discovered(name);
        return { group, version, resources: discovered?.resources ?? [], current: discovered?.current ?? false };
      });
    }
    return this.#groupVersions;
  }

  async proxy(context: NonResourceContext, { group, version }: GroupVersion): Promise<void> {
    const { req, res, requestInfo, signal } = context;
    const remote = this.#options.table.remote(group, version);
    const address = remote && (await this.#addressOf(remote));
    if (remote === undefined || address === undefined) {
      req.resume();
      sendText(res, 503, unavailable);
      return;
    }
    const isDiscovery = !requestInfo.isResourceRequest && !requestInfo.path.startsWith("/openapi/");
    const late = isDiscovery ? AbortSignal.timeout(discoveryTimeoutMs) : undefined;
    try {
      await forwardRequest(req, res, {
        address,
        agent: this.#options.client.connections.agent(remote),
        path: req.url ?? requestInfo.path,
        headers: this.#headers(context),
        signal: late === undefined ? signal : AbortSignal.any([signal, late]),
        rejectRedirects: this.#options.rejectRedirects,
        onConnection: this.#checkPeer,
      });
    } catch (error) {
      this.#checkError(error);
      if (signal.aborted) return;
      if (error instanceof ApiError) throw error;
      req.resume();
      const cause = late?.aborted ? `no response within ${discoveryTimeoutMs} ms` : messageOf(error);
      sendText(res, 503, `error trying to reach service: ${cause}`);
    }
  }

  async proxyUpgrade(
    context: Omit<NonResourceContext, "res">,
    { group, version }: GroupVersion,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    const { req, requestInfo, signal } = context;
    const remote = this.#options.table.remote(group, version);
    const address = remote && (await this.#addressOf(remote));
    if (remote === undefined || address === undefined) throw serviceUnavailable(unavailable);
    try {
      const headers = this.#headers(context);
      const upstream = await this.#options.client.connections.connect(remote, address);
      this.#checkPeer(upstream);
      const cut = () => upstream.destroy();
      if (signal.aborted) cut();
      signal.addEventListener("abort", cut, { once: true });
      try {
        await proxyUpgrade({
          request: req,
          headers,
          client: socket,
          clientHead: head,
          upstream,
          path: req.url ?? requestInfo.path,
          host: `${bracketed(address.name ?? address.host)}:${address.port}`,
          timeoutMs: upgradeTimeoutMs,
        });
      } finally {
        signal.removeEventListener("abort", cut);
      }
    } catch (error) {
      this.#checkError(error);
      if (error instanceof ApiError) throw error;
      const cause = messageOf(error);
      if (/status code 3\d\d$/.test(cause))
        throw new ApiError(failure("InternalError", redirectRefused, undefined, 502));
      throw serviceUnavailable(`error trying to reach service: ${cause}`);
    }
  }

  readonly #checkPeer = (socket: Socket): void => {
    for (const what of deprecationsOfPeer(socket)) this.#options.onDeprecated(what);
  };

  #checkError(error: unknown): void {
    const what = deprecationOfError(error);
    if (what !== undefined) this.#options.onDeprecated(what);
  }

  #headers({ req, user, auditId }: Omit<NonResourceContext, "res">): OutgoingHttpHeaders {
    return forwardedHeaders({ request: req, user, auditId, identifying: this.#options.identifying });
  }

  /** Returns the address of a server; undefined if the server is not available. */
  async #addressOf(remote: RemoteApiService): Promise<Address | undefined> {
    if (!isAvailable(remote.apiService)) return undefined;
    try {
      return await this.#options.client.resolve(remote);
    } catch (error) {
      if (!isNotFound(error)) this.#options.onError(error, remote.name);
      return undefined;
    }
  }
}
