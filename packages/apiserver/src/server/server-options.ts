import type { Duplex } from "node:stream";
import type { ApiError, DocumentationSource, ResourceDefinition, StrategyContext } from "@orchernetes/apimachinery";
import type { Authenticator, Authorizer, UserInfo } from "@orchernetes/auth";
import type { Clock, EventLoop, HttpRequest, HttpResponse, Logger } from "@orchernetes/kernel";
import type { Store } from "@orchernetes/storage";
import type { AuditRecorder } from "../audit/recorder.ts";
import type { FlowController } from "../flow-control/flow-controller.ts";
import type {
  AdmissionPlugin,
  Aggregator,
  ApiMetrics,
  CompletedRequest,
  DisabledFields,
  HandlerTable,
  HealthCheck,
  HttpFilter,
  Limits,
  NonResourceContext,
  Registry,
  RequestInfo,
  ServerFeatures,
  StorageMediaType,
  StoredResource,
  Tracer,
  WriteConditionOf,
  WriteHooks,
} from "../interfaces/index.ts";

/** Options of the resources of a server: what is stored, and what takes part in writes. */
export interface ResourcesOptions {
  /** The resources served from the start. */
  readonly definitions: readonly ResourceDefinition[];
  /**
   * Resources that are switched off: no path leads to them, but `registry.forDefinition` finds their stored objects.
   */
  readonly unservedDefinitions?: readonly ResourceDefinition[];
  readonly store: Store;
  /** The store of one resource's objects, e.g. another engine, or a view that encrypts or measures. @default `store` */
  readonly storeFor?: (definition: ResourceDefinition) => Store;
  /**
   * Whether reads and watches of a resource are served from a watch cache; otherwise they go to the store.
   * @default all are
   */
  readonly watchCache?: (definition: ResourceDefinition) => boolean;
  /** Form of new writes; every form can be read. @default "application/json" */
  readonly storageMediaType?: StorageMediaType;
  readonly admission?: readonly AdmissionPlugin[];
  /** Hooks for the writes of resources; at most one per resource. */
  readonly writeHooks?: readonly WriteHooks[];
  readonly clock?: Clock;
  /** @default that of this process */
  readonly loop?: EventLoop;
  readonly logger?: Logger;
  /** Metrics of admission. */
  readonly metrics?: Pick<ApiMetrics, "admissionStep" | "admissionPlugin">;
  /** Traces admission. */
  readonly tracer?: Tracer;
  /** Lifetime of objects whose definition `expires` (events), in seconds. @default 3600 */
  readonly eventTtlSeconds?: number;
  readonly featureEnabled?: (gate: string) => boolean;
  /** Features of the server itself. @default {@link defaultServerFeatures} */
  readonly features?: Partial<ServerFeatures>;
  /**
   * Fields to drop from written objects of a resource, called once for each resource; undefined: nothing is dropped.
   */
  readonly disabledFields?: (definition: ResourceDefinition) => DisabledFields | undefined;
  /** Whether pods may have privileged containers (`--allow-privileged`). @default false */
  readonly allowPrivileged?: boolean;
  /** Checks expressions that objects contain. @default they are not checked */
  readonly expressions?: StrategyContext["expressions"];
  /** @default true */
  readonly enableGarbageCollector?: boolean;
  /** Stops everything immediately: watches, followers of the store, timers. */
  readonly signal: AbortSignal;
}

/** Options of serving: who may send requests, and how they are handled. */
export interface ServingOptions {
  /** Called in order for every request over the network, before anything else. */
  readonly filters?: readonly HttpFilter[];
  /** Called in order; the first result that is not `noOpinion` decides. */
  readonly authenticators: readonly Authenticator[];
  /** Requests that no authenticator knows become `system:anonymous`. @default true */
  readonly anonymousAuth?: boolean;
  /** Called in order; the first result that is not `NoOpinion` decides. */
  readonly authorizers: readonly Authorizer[];
  readonly handlers?: HandlerTable;
  /** Serves non-resource paths that the server has no route for (metrics, debug, well-known). False: 404. */
  readonly nonResource?: (context: NonResourceContext) => boolean | Promise<boolean>;
  readonly aggregator?: Aggregator;
  readonly healthChecks?: readonly HealthCheck[];
  /** Loads the descriptions of types and fields when an OpenAPI document is built. @default there are none */
  readonly documentation?: () => Promise<DocumentationSource>;
  /** Body of `/version`. */
  readonly version?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** @default that of this process */
  readonly loop?: EventLoop;
  readonly logger?: Logger;
  readonly metrics?: ApiMetrics;
  /** Traces requests and lists. */
  readonly tracer?: Tracer;
  readonly limits?: Partial<Limits>;
  /** Priority and fairness, instead of the two in-flight limits. */
  readonly flowControl?: FlowController;
  /** What feature gates switch in the server itself. @default {@link defaultServerFeatures} */
  readonly features?: Partial<ServerFeatures>;
  /** Concurrent deletes of one deletecollection. @default 1 */
  readonly deleteCollectionWorkers?: number;
  /** Writes of single objects and of collections may depend on another object. @default none does */
  readonly writeCondition?: WriteConditionOf;
  /** While draining, responds with 429 and Retry-After instead of serving requests. @default false */
  readonly shutdownSendRetryAfter?: boolean;
  /** Address clients inside the cluster should use, for `/api`. */
  readonly advertiseAddress?: string;
  /**
   * Called for every allowed request; an error rejects it. For servers that must not write yet. @default all are served
   */
  readonly writeBarrier?: (info: RequestInfo) => ApiError | undefined;
  /** Records requests. @default nothing is audited */
  readonly audit?: AuditRecorder;
  readonly onCompleted?: (request: CompletedRequest) => void;
  /** Stops everything immediately: watches, followers of the store, timers. */
  readonly signal: AbortSignal;
}

/** All options of a server. */
export interface ApiServerOptions extends ResourcesOptions, ServingOptions {
  readonly metrics?: ApiMetrics;
}

/** A response to {@link ApiServer.request}. */
export interface LoopbackResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, number | string | readonly string[]>>;
  readonly body: Buffer;
}

/** A server without a listener: attach `handleRequest` and `handleUpgrade` to any HTTP/1.1 or HTTP/2 server. */
export interface ApiServer {
  handleRequest(req: HttpRequest, res: HttpResponse): void;
  handleUpgrade(req: HttpRequest, socket: Duplex, head: Buffer): void;
  /**
   * Responds to what could not be parsed as HTTP; attach it to the listener's `clientError`. Unknown methods get 405,
   * headers beyond the limit 431, everything else 400.
   */
  handleClientError(error: Error & { readonly code?: string }, socket: Duplex): void;
  /** An in-process call through all filters but authentication. */
  request(call: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
    readonly user?: UserInfo;
  }): Promise<LoopbackResponse>;
  readonly registry: Registry;
  /** The stored resources, one for all versions of a kind, with their watch caches; for metrics. */
  storages(): readonly StoredResource[];
  /** Fills the watch caches. Resolves when each has the state that the store had. */
  start(): Promise<void>;
  /** Checks of the server itself (ping, log, etcd, informer-sync, shutdown) and those given. */
  readonly healthChecks: readonly HealthCheck[];
  /** From now on `/readyz` fails; requests are served as before. */
  beginShutdown(): void;
  /**
   * Ends serving: waits for requests that are not long-running, then up to `watchGraceMs` (default 0) for watches,
   * which are closed gradually. New requests are served with `connection: close`, or get 429 if so configured.
   */
  drain(options?: { readonly watchGraceMs?: number }): Promise<void>;
}
