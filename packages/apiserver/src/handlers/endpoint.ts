import {
  capabilitiesOf,
  DecodeError,
  type ParsedDocument,
  parseJson,
  protobufMediaType,
  type ResourceDefinition,
  type Subresource,
  stockProtobufMediaType,
  unsupportedMediaType,
} from "@orchernetes/apimachinery";
import type { Authorization } from "@orchernetes/auth";
import type { Clock, EventLoop, Logger } from "@orchernetes/kernel";
import { readBody } from "../http/body.ts";
import type { ChunkPool } from "../http/chunk-pool.ts";
import { parseMediaType } from "../http/media-type.ts";
import { type Encoding, type Negotiated, type Negotiator, offeredTypes } from "../http/negotiate.ts";
import type { RequestState } from "../http/request-state.ts";
import type {
  ApiMetrics,
  HandlerTable,
  Limits,
  ObjectRef,
  ServerFeatures,
  Tracer,
  WriteConditionOf,
} from "../interfaces/index.ts";
import { attributesOf } from "../interfaces/request-info.ts";
import type { AdmissionChain } from "../registry/admission-chain.ts";
import { isBig } from "../registry/big-write.ts";
import { guardOf } from "../registry/in-process-store.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import type { ServedVersion, WriteRequest } from "../registry/served-version.ts";
import type { YamlThread } from "../yaml/yaml-thread.ts";
import { yamlCaller } from "../yaml/yaml-thread.ts";
import type { ActiveWatches } from "./active-watches.ts";
import { managerOfUserAgent } from "./field-manager.ts";
import { type AskedWrite, HandlerWrite } from "./handler-write.ts";
import type { WatchPacer } from "./watch-pacer.ts";
import type { SharedBatches } from "./watch-sender.ts";

/** The parts of a server that all REST handlers share. */
export interface HandlerEnvironment {
  readonly registry: ResourceRegistry;
  readonly negotiator: Negotiator;
  readonly admission: AdmissionChain;
  readonly authorization: Authorization;
  readonly handlers: HandlerTable;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly loop: EventLoop;
  readonly logger: Logger;
  readonly metrics: ApiMetrics | undefined;
  readonly tracer: Tracer | undefined;
  readonly watches: ActiveWatches;
  readonly pacer: WatchPacer;
  /** Buffers for long responses. */
  readonly chunks: ChunkPool;
  /** Encoded batches of events, shared by watchers of the same form. */
  readonly batches: SharedBatches;
  readonly deleteCollectionWorkers: number;
  /** The condition that a request puts on its write. @default none does */
  readonly writeCondition?: WriteConditionOf | undefined;
  readonly features: ServerFeatures;
  readonly yaml: YamlThread;
}

/** A request that has been routed to a stored resource. */
export interface ResourceRequest {
  readonly state: RequestState;
  readonly served: ServedVersion;
  readonly environment: HandlerEnvironment;
  /** Namespace "" for cluster-scoped resources; name "" for collections. */
  readonly ref: ObjectRef;
  readonly subresource: Subresource<never> | undefined;
}

/**
 * Negotiates the form of the response. Kinds without a protobuf form (custom resources) fall back to the next
 * acceptable one.
 *
 * @throws ApiError NotAcceptable
 */
export function negotiatedFor({ state, served, environment }: ResourceRequest): Negotiated {
  const { accept } = state.req.headers;
  const found = environment.negotiator.negotiate(accept);
  if (found.encoding !== "protobuf" || capabilitiesOf(served.definition).protobuf) return found;
  return environment.negotiator.negotiateText(accept);
}

/**
 * The write that a request describes. Without `fieldManager` the user agent names the manager.
 *
 * @throws ApiError BadRequest for a condition that cannot be read
 */
export function writeRequestOf(
  { state, environment }: Pick<ResourceRequest, "state" | "environment">,
  query: {
    readonly dryRun: boolean;
    readonly fieldManager?: string;
    readonly options: Readonly<Record<string, unknown>>;
  },
  more: Partial<Pick<AskedWrite, "ownership" | "kind" | "ofCollection">> = {},
): WriteRequest {
  const manager = query.fieldManager || managerOfUserAgent(state.req.headers["user-agent"]);
  const { dryRun, options } = query;
  const condition = environment.writeCondition?.(state.req, state.info);
  const guard = condition && guardOf(environment.registry, condition);
  return new HandlerWrite(state, environment.clock.now(), { dryRun, options, manager, guard, ...more });
}

/**
 * Checks that the user may create the object as well: an update or apply of an object that does not exist creates it,
 * and the request was authorized as update or patch only. @throws ApiError Forbidden
 */
export async function checkMayCreate({ state, environment }: ResourceRequest): Promise<void> {
  await environment.authorization.check({ ...attributesOf(state.user, state.info), verb: "create" });
}

/** A request body and its encoding. */
export interface RawBody {
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  /** The parsed document with its duplicate fields, if it was parsed already; or why it cannot be parsed. */
  readonly document?: ParsedDocument | { readonly error: DecodeError } | undefined;
}

const encodings: Readonly<Record<string, Encoding>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "text/yaml": "yaml",
  "application/x-yaml": "yaml",
  [protobufMediaType]: "protobuf",
  [stockProtobufMediaType]: "protobuf",
};

/**
 * Reads a JSON, YAML or protobuf body. A body without Content-Type is JSON.
 *
 * @throws ApiError UnsupportedMediaType, RequestEntityTooLarge; BadRequest when the client disconnects
 */
export async function readObjectBody(
  state: RequestState,
  { limits, yaml, loop }: Pick<HandlerEnvironment, "limits" | "yaml" | "loop">,
): Promise<RawBody> {
  const header = state.req.headers["content-type"];
  let encoding: Encoding | undefined = "json";
  if (header !== undefined && header !== "" && header !== "application/json") {
    const type = parseMediaType(header)?.type ?? "";
    encoding = Object.hasOwn(encodings, type) ? encodings[type] : undefined;
  }
  if (encoding === undefined) {
    state.req.resume();
    throw unsupportedMediaType(offeredTypes);
  }
  const bytes = await readBody(state.req, limits.maxBodyBytes);
  state.requestBytes = bytes.length;
  return { bytes, encoding, document: await documentIn({ yaml, loop }, bytes, encoding, state) };
}

/**
 * Parses YAML, off the event loop if it is long, and long JSON, so that parsing takes one turn of the event loop and
 * decoding another. Undefined for other bodies, which are parsed when they are decoded.
 */
async function documentIn(
  { yaml, loop }: Pick<HandlerEnvironment, "yaml" | "loop">,
  bytes: Buffer,
  encoding: Encoding,
  state: RequestState,
): Promise<RawBody["document"]> {
  if (encoding === "protobuf" || (encoding === "json" && !isBig(bytes.length))) return undefined;
  try {
    const parsed =
      encoding === "json" ? parseJson(bytes, { duplicates: true }) : await yaml.read(bytes, true, yamlCaller(state));
    if (isBig(bytes.length)) await loop.nextTurn();
    return parsed;
  } catch (error) {
    // The decoder, which knows the expected kind, reports the error.
    if (error instanceof DecodeError) return { error };
    throw error;
  }
}

/** The kind of a resource's lists. */
export function listKindOf(definition: ResourceDefinition): string {
  return definition.listKind ?? `${definition.kind}List`;
}
