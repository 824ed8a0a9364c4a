import type { ResourceDefinition, Subresource } from "@orchernetes/apimachinery";
import { unsupportedMediaType } from "@orchernetes/apimachinery";
import { readBody } from "../http/body.ts";
import { parseMediaType } from "../http/media-type.ts";
import { type Negotiator, offeredTypes } from "../http/negotiate.ts";
import type { RequestState } from "../http/request-state.ts";
import type { ApiMetrics, Clock, HandlerTable, Limits, Logger, ObjectRef } from "../interfaces/index.ts";
import type { AdmissionChain } from "../registry/admission-chain.ts";
import type { ResourceCore, WriteRequest } from "../registry/resource-core.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import type { ActiveWatches } from "./active-watches.ts";

/** What all REST handlers of a server share. */
export interface HandlerEnvironment {
  readonly registry: ResourceRegistry;
  readonly negotiator: Negotiator;
  readonly admission: AdmissionChain;
  readonly handlers: HandlerTable;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ApiMetrics | undefined;
  readonly watches: ActiveWatches;
  readonly deleteCollectionWorkers: number;
}

/** A request that has been routed to a stored resource. */
export interface ResourceRequest {
  readonly state: RequestState;
  readonly core: ResourceCore;
  readonly environment: HandlerEnvironment;
  /** Namespace "" for cluster-scoped resources; name "" for collections. */
  readonly ref: ObjectRef;
  readonly subresource: Subresource<never> | undefined;
}

/** The write that a request asks for. */
export function writeRequestOf(
  { state, environment }: Pick<ResourceRequest, "state" | "environment">,
  query: { readonly dryRun: boolean; readonly options: Readonly<Record<string, unknown>> },
): WriteRequest {
  return {
    user: state.user,
    admission: true,
    dryRun: query.dryRun,
    options: query.options,
    now: new Date(environment.clock.now()),
    signal: state.signal,
    warn: state.warn,
    annotate: state.annotate,
    subresource: state.info.subresource,
  };
}

/** A request body and what it is written in. */
export interface RawBody {
  readonly bytes: Buffer;
  readonly yaml: boolean;
}

const yamlTypes: ReadonlySet<string> = new Set(["application/yaml", "text/yaml", "application/x-yaml"]);

/**
 * Reads a JSON or YAML body.
 *
 * @throws ApiError UnsupportedMediaType, RequestEntityTooLarge
 */
export async function readObjectBody(state: RequestState, limits: Limits): Promise<RawBody> {
  const header = state.req.headers["content-type"];
  let yaml = false;
  if (header !== undefined && header !== "" && header !== "application/json") {
    const type = parseMediaType(header)?.type;
    yaml = type !== undefined && yamlTypes.has(type);
    if (!yaml && type !== "application/json") {
      state.req.resume();
      throw unsupportedMediaType(offeredTypes);
    }
  }
  return { bytes: await readBody(state.req, limits.maxBodyBytes), yaml };
}

/** The kind of a resource's lists. */
export function listKindOf(definition: ResourceDefinition): string {
  return definition.listKind ?? `${definition.kind}List`;
}
