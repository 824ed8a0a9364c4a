import type { Duplex } from "node:stream";
import { loopbackUser, type UserInfo } from "@orchernetes/auth";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import type { HealthCheck, Registry, StoredResource } from "../interfaces/index.ts";
import { serverHealthChecks } from "./health-checks.ts";
import { LoopbackAnswer, LoopbackRequest } from "./loopback.ts";
import { RequestPath } from "./request-path.ts";
import { createResources, type Resources } from "./resources.ts";
import { clientErrorStatus } from "./server-errors.ts";
import type { ApiServer, ApiServerOptions, LoopbackResponse, ServingOptions } from "./server-options.ts";
import { createServingParts, type ServingParts } from "./serving-parts.ts";
import { refuseUpgrade } from "./upgrade.ts";
import { UpgradePath } from "./upgrade-path.ts";

/** Creates a server with its resources. Nothing runs until `start`. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  return serveResources(createResources(options), options);
}

/**
 * Creates a server for resources that exist already: for programs that need the registry first, as authorizers and
 * admission plugins of orch-apiserver read objects. Nothing runs until `start`.
 */
export function serveResources(resources: Resources, options: ServingOptions): ApiServer {
  return new GenericApiServer(resources, createServingParts(resources, options));
}

/**
 * The server as listeners and the program see it. It only connects its parts; see `docs/ARCHITECTURE.md`, "The path of
 * a request".
 */
class GenericApiServer implements ApiServer {
  readonly #resources: Resources;
  readonly #parts: ServingParts;
  readonly #requests: RequestPath;
  readonly #upgrades: UpgradePath;
  readonly healthChecks: readonly HealthCheck[];

  constructor(resources: Resources, parts: ServingParts) {
    const { lifecycle, options } = parts;
    this.#resources = resources;
    this.#parts = parts;
    this.#requests = new RequestPath(parts);
    this.#upgrades = new UpgradePath(parts);
    this.healthChecks = [
      ...serverHealthChecks(resources.store, resources.registry, () => lifecycle.shuttingDown),
      ...(options.healthChecks ?? []),
    ];
  }

  get registry(): Registry {
    return this.#resources.registry;
  }

  storages(): readonly StoredResource[] {
    return this.#resources.registry.storages();
  }

  start(): Promise<void> {
    return this.#resources.registry.start();
  }

  beginShutdown(): void {
    this.#parts.lifecycle.beginShutdown();
  }

  drain({ watchGraceMs = 0 }: { readonly watchGraceMs?: number } = {}): Promise<void> {
    return this.#parts.lifecycle.drain(watchGraceMs);
  }

  /** Entry of requests from the network; `request` enters behind the filters. */
  handleRequest(req: HttpRequest, res: HttpResponse): void {
    const { filters } = this.#parts.options;
    if (filters !== undefined) for (const filter of filters) if (filter(req, res)) return;
    void this.#requests.answer(req, res, undefined);
  }

  async request(call: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
    readonly user?: UserInfo;
  }): Promise<LoopbackResponse> {
    const body = typeof call.body === "string" ? Buffer.from(call.body) : call.body;
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(call.headers ?? {})) headers[name.toLowerCase()] = value;
    const req = new LoopbackRequest(call.method, call.path, headers, body);
    const res = new LoopbackAnswer();
    const finished = new Promise<void>((resolve) => res.once("finish", resolve));
    await this.#requests.answer(req, res, call.user ?? loopbackUser);
    await finished;
    return res.answer();
  }

  handleUpgrade(req: HttpRequest, socket: Duplex, head: Buffer): void {
    this.#upgrades.handle(req, socket, head);
  }

  handleClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
    refuseUpgrade(socket, clientErrorStatus(error.code ?? ""));
  }
}
