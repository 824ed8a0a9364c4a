import type { Duplex } from "node:stream";
import {
  ApiError,
  failure,
  genericServerResponse,
  internalError,
  Status,
  timeoutError,
} from "@orchernetes/apimachinery";
import { type Clock, type Logger, silentLogger, systemClock, type Timer } from "@orchernetes/kernel";
import { createDiscovery, type Discovery } from "../discovery/discovery.ts";
import { Authentication } from "../filters/authentication.ts";
import { Authorization } from "../filters/authorization.ts";
import type { HttpFilter } from "../filters/http-filter.ts";
import { MaxInFlight } from "../filters/max-in-flight.ts";
import { ActiveWatches } from "../handlers/active-watches.ts";
import { handleCustom, upgradeCustom } from "../handlers/custom.ts";
import type { HandlerEnvironment } from "../handlers/endpoint.ts";
import { sendValue } from "../handlers/send-object.ts";
import { SharedBatches } from "../handlers/shared-batches.ts";
import { WatchPacer } from "../handlers/watch-pacer.ts";
import { ChunkPool } from "../http/chunk-pool.ts";
import { ClientGone } from "../http/chunk-sender.ts";
import { isGone } from "../http/is-gone.ts";
import { leaveConnection } from "../http/leave-connection.ts";
import { type Negotiated, Negotiator, plainJson } from "../http/negotiate.ts";
import { sendNotFoundPage } from "../http/not-found-page.ts";
import { parseRequestInfo } from "../http/request-info.ts";
import { RequestState } from "../http/request-state.ts";
import { requestedTimeoutMs } from "../http/requested-timeout.ts";
import { setFlowHeaders, toStatus } from "../http/respond.ts";
import { ThrottledSocket } from "../http/throttle.ts";
import { type Messages, WebSocketResponse } from "../http/web-socket-response.ts";
import type {
  Aggregator,
  ApiServer,
  ApiServerOptions,
  GroupVersion,
  HealthCheck,
  HttpRequest,
  HttpResponse,
  Limits,
  LoopbackResponse,
  NonResourceContext,
  Registry,
  ServerFeatures,
  StoredResource,
  UserInfo,
} from "../interfaces/index.ts";
import { defaultServerFeatures, loopbackUser } from "../interfaces/index.ts";
import { AdmissionChain } from "../registry/admission-chain.ts";
import { ResourceRegistry } from "../registry/resource-registry.ts";
import { YamlThread } from "../yaml/yaml-thread.ts";
import { Deadlines, type Ticket } from "./deadlines.ts";
import { defaultLimits } from "./default-limits.ts";
import { WaitGroup } from "./drain.ts";
import { Gate } from "./gate.ts";
import { serverHealthChecks } from "./health-checks.ts";
import { LoopbackAnswer, LoopbackRequest } from "./loopback.ts";
import { remoteTarget } from "./remote-target.ts";
import { messagesOf, type Route, routeOf } from "./route.ts";
import { clientErrorStatus, shuttingDown, terminates } from "./server-errors.ts";
import { traceHandler, traceRequest } from "./trace-request.ts";
import { refuseUpgrade, UpgradeResponse } from "./upgrade.ts";

/** Paths that a draining server still answers, so that its shutdown can be observed. */
const probePath = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/** Makes a server out of its parts. Nothing runs until `start`. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  return new GenericApiServer(options);
}

/** The request path: request info → drain → gate → route → answer. */
class GenericApiServer implements ApiServer {
  readonly #options: ApiServerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #limits: Limits;
  readonly #features: ServerFeatures;
  readonly #filters: readonly HttpFilter[];
  readonly #gate: Gate;
  readonly #environment: HandlerEnvironment;
  readonly #registry: ResourceRegistry;
  readonly #discovery: Discovery;
  readonly #deadlines: Deadlines<RequestState>;
  readonly #requests = new WaitGroup();
  readonly #longRunning = new WaitGroup();
  readonly #watches = new ActiveWatches();
  readonly healthChecks: readonly HealthCheck[];
  #shuttingDown = false;
  #draining = false;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#features = { ...defaultServerFeatures, ...options.features };
    this.#deadlines = new Deadlines(this.#clock, this.#limits.requestTimeoutMs, (state) => this.#tooLate(state));
    const { metrics, tracer } = options;
    const admission = new AdmissionChain(options.admission ?? [], { metrics, tracer });
    this.#registry = new ResourceRegistry({
      storeFor: options.storeFor ?? (() => options.store),
      watchCache: options.watchCache ?? (() => true),
      watchFromStorage: this.#features.watchFromStorage,
      mediaType: options.storageMediaType ?? "application/json",
      eventTtlSeconds: options.eventTtlSeconds ?? 3600,
      unserved: options.unservedDefinitions ?? [],
      environment: {
        clock: this.#clock,
        logger: this.#logger,
        admission,
        featureEnabled: options.featureEnabled ?? (() => false),
        disabledFields: options.disabledFields ?? (() => undefined),
        allowPrivileged: options.allowPrivileged ?? false,
        enableGarbageCollector: options.enableGarbageCollector ?? true,
        writeHooks: options.writeHooks ?? [],
        signal: options.signal,
      },
    });
    this.#registry.add(options.definitions);
    this.#filters = options.filters ?? [];
    const authentication = new Authentication({
      authenticators: options.authenticators,
      anonymous: options.anonymousAuth ?? true,
      logger: this.#logger,
    });
    const authorization = new Authorization(options.authorizers, options.alwaysAllowPaths);
    const inFlight = new MaxInFlight({
      readOnly: this.#limits.maxRequestsInflight,
      mutating: this.#limits.maxMutatingRequestsInflight,
      metrics,
    });
    const { flowControl, handlers = {} } = options;
    this.#gate = new Gate({
      metrics,
      aggregator: options.aggregator,
      flowControl,
      handlers,
      authentication,
      authorization,
      inFlight,
      registry: this.#registry,
    });
    const batches = new SharedBatches();
    const yaml = new YamlThread();
    options.signal.addEventListener("abort", () => void yaml.close(), { once: true });
    this.#environment = {
      registry: this.#registry,
      negotiator: new Negotiator(),
      admission,
      authorization,
      handlers,
      limits: this.#limits,
      clock: this.#clock,
      logger: this.#logger,
      metrics,
      tracer,
      watches: this.#watches,
      chunks: new ChunkPool(),
      pacer: new WatchPacer(
        this.#clock,
        () => this.#watches.size,
        () => batches.clear(),
      ),
      batches,
      yaml,
      deleteCollectionWorkers: options.deleteCollectionWorkers ?? 1,
      features: this.#features,
    };
    this.#discovery = createDiscovery({
      registry: this.#registry,
      handlers,
      negotiator: this.#environment.negotiator,
      aggregator: options.aggregator,
      version: options.version ?? {},
      advertiseAddress: options.advertiseAddress,
      documentation: options.documentation,
      features: this.#features,
    });
    this.healthChecks = [
      ...serverHealthChecks(options.store, this.#registry, () => this.#shuttingDown),
      ...(options.healthChecks ?? []),
    ];
  }

  get registry(): Registry {
    return this.#registry;
  }

  storages(): readonly StoredResource[] {
    return this.#registry.storages();
  }

  start(): Promise<void> {
    return this.#registry.start();
  }

  beginShutdown(): void {
    this.#shuttingDown = true;
  }

  async drain({ watchGraceMs = 0 }: { readonly watchGraceMs?: number } = {}): Promise<void> {
    this.#shuttingDown = true;
    this.#draining = true;
    await this.#requests.empty(this.#clock, this.#limits.requestTimeoutMs || defaultLimits.requestTimeoutMs);
    this.#watches.stopAll(this.#clock, watchGraceMs / 2);
    await this.#longRunning.empty(this.#clock, watchGraceMs);
  }

  handleRequest(req: HttpRequest, res: HttpResponse): void {
    for (const filter of this.#filters) if (filter(req, res)) return;
    void this.#answer(req, res, undefined);
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
    await this.#answer(req, res, call.user ?? loopbackUser);
    await finished;
    return res.answer();
  }

  handleUpgrade(req: HttpRequest, socket: Duplex, head: Buffer): void {
    const res = new UpgradeResponse(socket);
    const state = new RequestState(req, res, this.#clock.nowMs(), false);
    socket.on("error", () => state.abort(new Error("the client closed the connection")));
    socket.once("close", () => state.abort(new Error("the client closed the connection")));
    state.longRunning = true;
    this.#longRunning.enter();
    this.#upgrade(state, socket, head)
      .catch((error: unknown) => {
        state.code = refuseUpgrade(socket, toStatus(this.#known(error, state)));
      })
      .finally(() => {
        this.#longRunning.leave();
        this.#completed(state);
      });
  }

  handleClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
    refuseUpgrade(socket, clientErrorStatus(error.code ?? ""));
  }

  async #upgrade(state: RequestState, socket: Duplex, head: Buffer): Promise<void> {
    state.info = parseRequestInfo(state.req.method ?? "", state.req.url ?? "");
    if (this.#draining) throw shuttingDown();
    await this.#gate.admit(state, undefined);
    const { info } = state;
    const { aggregator } = this.#options;
    const elsewhere = aggregator && remoteTarget(aggregator, info);
    if (aggregator !== undefined && elsewhere !== undefined) {
      const { user, req, signal, auditId } = state;
      state.code = 101;
      await aggregator.proxyUpgrade({ user, requestInfo: info, auditId, req, signal }, elsewhere, socket, head);
      return;
    }
    if (!info.isResourceRequest) throw genericServerResponse({ code: 404 });
    const route = routeOf(this.#environment, state);
    const messages = messagesOf(route, state);
    if (messages !== undefined) {
      await this.#overWebSocket(route, state, socket, head, messages);
      return;
    }
    if (route.type !== "custom" || route.handler.upgrade === undefined) {
      throw new ApiError(failure("BadRequest", "this resource cannot be upgraded to another protocol"));
    }
    state.code = 101;
    await upgradeCustom({ ...route, state, environment: this.#environment }, this.#throttled(socket), head);
  }

  #throttled(socket: Duplex): Duplex {
    const { maxConnectionBytesPerSec } = this.#limits;
    return maxConnectionBytesPerSec > 0 ? new ThrottledSocket(socket, maxConnectionBytesPerSec) : socket;
  }

  /** Answers a GET like over HTTP, with WebSocket messages in place of the body. */
  async #overWebSocket(
    route: Route,
    state: RequestState,
    socket: Duplex,
    head: Buffer,
    messages: Messages,
  ): Promise<void> {
    if (head.length > 0) socket.unshift(head);
    const res = new WebSocketResponse(state.req, this.#throttled(socket), messages);
    res.on("error", () => state.abort(new Error("the response failed")));
    try {
      state.answerThrough(res);
      await this.#counted(state, () => this.#run(route, state));
    } catch (error) {
      // After the protocol switch, a Status can no longer be sent.
      if (!res.headersSent) throw error;
      res.destroy();
    }
    state.code = res.statusCode;
  }

  #answer(req: HttpRequest, res: HttpResponse, as: UserInfo | undefined): Promise<void> {
    const state = new RequestState(req, res, this.#clock.nowMs(), this.#features.responseCompression);
    state.yaml = this.#environment.yaml;
    // A broken connection is not a server error; without a listener, it would be an uncaught exception.
    res.on("error", () => state.abort(new Error("the response failed")));
    const { tracer } = this.#options;
    if (tracer === undefined) return this.#settle(state, as);
    return traceRequest(tracer, state, () => this.#settle(state, as));
  }

  async #settle(state: RequestState, as: UserInfo | undefined): Promise<void> {
    try {
      await this.#serve(state, as);
    } catch (error) {
      this.#fail(state, error);
    } finally {
      this.#completed(state);
    }
  }

  async #serve(state: RequestState, as: UserInfo | undefined): Promise<void> {
    const { req, res } = state;
    state.info = parseRequestInfo(req.method ?? "", req.url ?? "");
    if (this.#draining && as === undefined) {
      leaveConnection(req, res);
      if (this.#options.shutdownSendRetryAfter === true && !probePath.test(state.info.path)) throw shuttingDown();
    }
    // Counted from the very start: a drain must not overtake a request that is still being authenticated.
    let group = this.#requests;
    let deadline: Ticket<RequestState>;
    let ownDeadline: Timer | undefined;
    group.enter();
    try {
      const admitted = this.#gate.admit(state, as);
      const leave = admitted instanceof Promise ? await admitted : admitted;
      if (state.longRunning) {
        this.#longRunning.enter();
        group.leave();
        group = this.#longRunning;
      }
      try {
        if (!state.longRunning) {
          ownDeadline = this.#ownDeadline(state);
          if (ownDeadline === undefined) deadline = this.#deadlines.add(state);
        }
        await this.#dispatch(state);
      } finally {
        leave();
        this.#deadlines.delete(deadline);
        ownDeadline?.clear();
      }
    } finally {
      group.leave();
    }
  }

  /** The timer for a `?timeout=` that is shorter than the server's request timeout; a longer one has no effect. */
  #ownDeadline(state: RequestState): Timer | undefined {
    const askedMs = requestedTimeoutMs(state);
    const { requestTimeoutMs } = this.#limits;
    if (askedMs === undefined || (requestTimeoutMs > 0 && askedMs >= requestTimeoutMs)) return undefined;
    return this.#clock.setTimeout(() => this.#tooLate(state), askedMs).unref();
  }

  #tooLate(state: RequestState): void {
    if (state.res.headersSent || isGone(state.res)) return;
    state.timedOut = true;
    this.#fail(state, timeoutError(`request did not complete within the allotted timeout`));
    state.abort(new Error("the request timed out"));
  }

  async #dispatch(state: RequestState): Promise<void> {
    const { info } = state;
    const { aggregator } = this.#options;
    const elsewhere = aggregator && remoteTarget(aggregator, info);
    if (aggregator !== undefined && elsewhere !== undefined) {
      await this.#forward(aggregator, elsewhere, state);
      return;
    }
    if (info.isResourceRequest) {
      const route: Route = routeOf(this.#environment, state);
      if (state.longRunning) await this.#counted(state, () => this.#run(route, state));
      else await this.#run(route, state);
      return;
    }
    const discovered = this.#discovery.serve(state);
    if (discovered !== false) {
      await discovered;
      return;
    }
    const handled = (await this.#options.nonResource?.(this.#context(state))) ?? false;
    if (!handled) sendNotFoundPage(state);
    state.code = state.res.statusCode;
  }

  async #forward(aggregator: Aggregator, target: GroupVersion, state: RequestState): Promise<void> {
    const { res, flow } = state;
    res.setHeader("audit-id", state.auditId);
    if (flow !== undefined) setFlowHeaders(res, flow);
    const forward = () => aggregator.proxy(this.#context(state), target);
    if (state.longRunning) await this.#counted(state, forward);
    else await forward();
    state.code = res.statusCode;
  }

  #run(route: Route, state: RequestState): Promise<void> {
    const serve = () =>
      route.type === "builtin" ? route.serve() : handleCustom({ ...route, state, environment: this.#environment });
    const { tracer } = this.#options;
    return tracer === undefined ? serve() : traceHandler(tracer, state.info, serve);
  }

  async #counted(state: RequestState, work: () => Promise<void>): Promise<void> {
    const { metrics } = this.#options;
    metrics?.addLongRunning(state, 1);
    try {
      await work();
    } finally {
      metrics?.addLongRunning(state, -1);
    }
  }

  #context(state: RequestState): NonResourceContext {
    const { user, info, auditId, req, res, signal } = state;
    return { user, requestInfo: info, auditId, req, res, signal };
  }

  /** Unexpected errors are logged with their stack; the client gets an InternalError. */
  #known(error: unknown, state: RequestState): unknown {
    if (error instanceof ApiError || (error instanceof Error && error.name === "StoreError")) return error;
    const err = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#logger.error(err, "Request failed unexpectedly", { method: state.req.method, path: state.info.path });
    return internalError(error);
  }

  #fail(state: RequestState, error: unknown): void {
    const { req, res } = state;
    const { metrics } = this.#options;
    if (error instanceof ClientGone || isGone(res)) {
      metrics?.requestAborted(state);
      return;
    }
    const status = toStatus(this.#known(error, state));
    if (metrics !== undefined && terminates(status)) metrics.requestTerminated(state, status.code ?? 500);
    if (state.timedOut && res.headersSent) state.failedLate = true;
    if (res.headersSent) {
      // Half an answer is out: breaking the connection is the only honest way left.
      if (!res.writableEnded) res.destroy();
      return;
    }
    if (!req.readableEnded) req.resume();
    let negotiated: Negotiated;
    try {
      negotiated = this.#environment.negotiator.negotiate(req.headers.accept);
    } catch {
      negotiated = plainJson;
    }
    const retryAfter = status.details?.retryAfterSeconds;
    const headers = retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) };
    // Errors are short: write them synchronously.
    state.yaml = undefined;
    void sendValue(state, status.code ?? 500, status, negotiated, Status, headers);
  }

  #completed(state: RequestState): void {
    const { metrics, onCompleted } = this.#options;
    if (metrics !== undefined) {
      const seconds = (this.#clock.nowMs() - state.startedMs) / 1000;
      metrics.observeRequest(state, seconds);
      if (state.timedOut) metrics.endedAfterTimeout(state.failedLate ? "error" : "ok");
    }
    if (this.#features.leaveUnauthenticated) leaveUnauthenticated(state);
    onCompleted?.(state.completed());
  }
}

/** Closes HTTP/2 connections of unauthenticated clients; they are expensive. */
function leaveUnauthenticated({ req, res, user, impersonatedBy = user }: RequestState): void {
  const known = impersonatedBy.groups.includes("system:authenticated");
  if (!known && req.httpVersionMajor === 2) leaveConnection(req, res);
}
