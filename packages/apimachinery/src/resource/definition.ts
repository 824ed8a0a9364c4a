import type { Draft, MessageSchema } from "../schema/index.ts";
import type { ResourceCapabilities } from "./capabilities.ts";
import type { ApiObject } from "./object.ts";
import type { Strategy, UpdateStrategy } from "./strategy.ts";

/** A column of the server-side table. `value` sees the object as stored and the time of the request. */
export interface Column<T> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown; 1 only with wide output. */
  readonly priority?: 0 | 1;
  readonly value: (object: T, now: Date) => string | number | bigint | boolean | null;
}

/** A condition of a row in a table; clients may hide rows that are `Completed`. */
export interface RowCondition {
  readonly type: "Completed";
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

/** The verbs of the API, as discovery and RBAC name them. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** What hangs below `/{plural}/{name}/`. */
export type Subresource<T> =
  /** Reads and writes the same object, confined by its own update strategy. */
  | { readonly type: "status" | "object"; readonly verbs: readonly Verb[]; readonly strategy: UpdateStrategy<T> }
  /** `autoscaling/v1` Scale over the object's replica fields. */
  | {
      readonly type: "scale";
      readonly get: (object: T) => {
        readonly specReplicas: number;
        readonly statusReplicas: number;
        readonly selector: string;
      };
      readonly set: (object: Draft<T>, replicas: number) => void;
    }
  /** Behaviour that the server program supplies by `plural/name` (binding, eviction, token, log, exec, …). */
  | {
      readonly type: "handler";
      readonly kind: string;
      readonly group: string;
      readonly version: string;
      readonly verbs: readonly Verb[];
      readonly schema?: MessageSchema;
      /** Further API versions that bodies of the same schema may name. */
      readonly alsoAccepts?: readonly string[];
    };

/** That a resource of this version is to go, and what to use instead. */
export interface Deprecation {
  /** Release since which it is deprecated, such as `1.26`. */
  readonly since: string;
  /** Release that serves it no more. */
  readonly removed?: string;
  /** API version and kind to use instead. */
  readonly replacement?: string;
  /** The warning in words of its own. */
  readonly warning?: string;
}

/** Converts objects between the versions of their kind, by asking someone. */
export interface VersionConverter {
  /**
   * Returns the objects in `apiVersion`, in the given order; what has that version is returned as it is. Neither defaulted nor pruned.
   *
   * @param objects of any versions of the kind; not changed
   * @throws ApiError 500 when they cannot be converted, or the signal's reason
   */
  convert(objects: readonly ApiObject[], apiVersion: string, signal: AbortSignal): Promise<readonly ApiObject[]>;
}

/**
 * Everything the system knows about one served resource. Routes, discovery, OpenAPI, tables, defaulting, codecs and
 * storage keys derive from it; no other place lists resources.
 */
export interface ResourceDefinition<T extends ApiObject = ApiObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly verbs: readonly Verb[];
  readonly schema: MessageSchema<T>;
  /** Kind of the list; default `${kind}List`. */
  readonly listKind?: string;
  /** Key prefix without trailing slash, e.g. `/registry/pods`. Absent: never stored (reviews), served by a handler. */
  readonly storagePrefix?: string;
  /** Written with a TTL of `--event-ttl`. */
  readonly expires?: boolean;
  /**
   * This version is a view of objects stored in another version's form. Both directions must be loss-free for what the
   * view shows. Absent: stored as it is.
   */
  readonly storedAs?: {
    readonly definition: ResourceDefinition;
    /** Both functions are absent where {@link converter} converts. */
    readonly toStored?: (object: T) => ApiObject;
    readonly fromStored?: (stored: ApiObject) => T;
  };
  /**
   * Converts where functions cannot; all versions of the kind have the same one. Objects are then stored in the version that was the
   * stored one when they were written, so that even the stored version's definition needs it. @default none
   */
  readonly converter?: VersionConverter;
  /** Fills in defaults; idempotent. Runs after decoding requests and before validation. */
  readonly applyDefaults?: (object: Draft<T>) => void;
  readonly strategy: Strategy<T>;
  readonly columns: readonly Column<T>[];
  /** Conditions of an object's row in tables; default none. */
  readonly rowConditions?: (object: T) => readonly RowCondition[];
  /** Values of the field selectors beyond metadata.name and metadata.namespace, by field path; every allowed path is present, "" when unset. */
  readonly selectableFields?: (object: T) => Readonly<Record<string, string>>;
  /** Allowed selector paths beyond metadata.name/metadata.namespace. */
  readonly fieldSelectors?: readonly string[];
  /** Selectable fields that the watch cache indexes. */
  readonly indexedFields?: readonly string[];
  readonly subresources?: Readonly<Record<string, Subresource<T>>>;
  /** Requests to it are answered with a warning. */
  readonly deprecation?: Deprecation;
  /** Feature gate that must be enabled for it to be served, besides its being switched on. */
  readonly featureGate?: string;
  /** What the generic server does for its objects. @default builtInCapabilities */
  readonly capabilities?: ResourceCapabilities;
}

/** Identity helper that infers `T` from the schema. */
export function defineResource<T extends ApiObject>(definition: ResourceDefinition<T>): ResourceDefinition<T> {
  return Object.freeze(definition);
}

/**
 * Definitions of different kinds as one list, as servers take them. The functions of a definition still expect objects of its own
 * kind: whoever calls them has decoded the object by the schema of the same definition.
 *
 * @example
 * ```ts
 * export const nodeV1 = resourceDefinitions(runtimeClasses);
 * ```
 */
export function resourceDefinitions<T extends readonly ApiObject[]>(
  ...definitions: { readonly [K in keyof T]: ResourceDefinition<T[K]> }
): readonly ResourceDefinition[] {
  return Object.freeze(definitions as unknown as ResourceDefinition[]);
}

/** `apps/v1`, or `v1` for the legacy core group. */
export function apiVersionOf(definition: Pick<ResourceDefinition, "group" | "version">): string {
  return definition.group === "" ? definition.version : `${definition.group}/${definition.version}`;
}

/** The warning that requests to a deprecated resource are answered with. */
export function deprecationWarning(
  definition: Pick<ResourceDefinition, "group" | "version" | "kind">,
  { since, removed, replacement, warning }: Deprecation,
): string {
  if (warning !== undefined) return warning;
  const gone = removed === undefined ? "" : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? "" : `; use ${replacement}`;
  return `${apiVersionOf(definition)} ${definition.kind} is deprecated in v${since}+${gone}${instead}`;
}

/** `pods`, `deployments.apps`: how messages name a resource. */
export function qualifiedResource(definition: Pick<ResourceDefinition, "group" | "plural">): string {
  return definition.group === "" ? definition.plural : `${definition.plural}.${definition.group}`;
}
