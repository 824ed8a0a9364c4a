import type { Draft, MessageSchema } from "../schema/index.ts";
import type { ResourceCapabilities } from "./capabilities.ts";
import type { ApiObject } from "./object.ts";
import type { Strategy, UpdateStrategy } from "./strategy.ts";

/** A column of the server-side table. `value` receives the stored object and the time of the request. */
export interface Column<T> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description: string;
  /** 0 is always displayed; 1 only with wide output. @default 0 */
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

/** The verbs of the API, in the spelling of discovery and RBAC. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A subresource: a path below `/{plural}/{name}/`. */
export type Subresource<T> =
  /** Reads and writes the same object, restricted by its own update strategy. */
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
      /** Further API versions that bodies with the same schema may have. */
      readonly alsoAccepts?: readonly string[];
    };

/** Deprecation of a resource of this version, and its replacement. */
export interface Deprecation {
  /** Release since which it is deprecated, such as `1.26`. */
  readonly since: string;
  /** First release that does not serve it any more. */
  readonly removed?: string;
  /** API version and kind to use instead. */
  readonly replacement?: string;
  /** Text of the warning, if it is not the usual one. */
  readonly warning?: string;
}

/** Converts objects between the versions of their kind, with calls of a webhook. */
export interface VersionConverter {
  /**
   * Returns the objects in `apiVersion`, in the given order; those that have that version are returned unchanged. The
   * results are neither defaulted nor pruned.
   *
   * @param objects of any versions of the kind; not changed
   * @throws ApiError 500 when they cannot be converted, or the signal's reason
   */
  convert(objects: readonly ApiObject[], apiVersion: string, signal: AbortSignal): Promise<readonly ApiObject[]>;
}

/**
 * The definition of one served resource. Routes, discovery, OpenAPI, tables, defaulting, codecs and storage keys are
 * derived from it; there is no other list of resources.
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
  /** Kind of the list. @default `${kind}List` */
  readonly listKind?: string;
  /**
   * Key prefix without a trailing slash, such as `/registry/pods`. Absent for kinds that are never stored (reviews),
   * which a handler serves.
   */
  readonly storagePrefix?: string;
  /** Whether objects are stored with the TTL of `--event-ttl`. */
  readonly expires?: boolean;
  /**
   * Set if objects are stored in the form of another version. Both directions must keep everything that this version
   * contains. Absent: objects are stored in this version.
   */
  readonly storedAs?: {
    readonly definition: ResourceDefinition;
    /** Both functions are absent if {@link converter} converts. */
    readonly toStored?: (object: T) => ApiObject;
    readonly fromStored?: (stored: ApiObject) => T;
  };
  /**
   * Converts where functions cannot; all versions of the kind have the same one. Objects are stored in the version
   * that was the storage version when they were written, so even the definition of the current storage version needs
   * it. @default none
   */
  readonly converter?: VersionConverter;
  /** Sets defaults; idempotent. It runs after decoding requests and before validation. */
  readonly applyDefaults?: (object: Draft<T>) => void;
  readonly strategy: Strategy<T>;
  readonly columns: readonly Column<T>[];
  /** Conditions of an object's row in tables. @default none */
  readonly rowConditions?: (object: T) => readonly RowCondition[];
  /**
   * Values of the field selectors beside metadata.name and metadata.namespace, by field path. Every allowed path is
   * present, "" when unset.
   */
  readonly selectableFields?: (object: T) => Readonly<Record<string, string>>;
  /** Allowed selector paths beside metadata.name and metadata.namespace. */
  readonly fieldSelectors?: readonly string[];
  /** Selectable fields that the watch cache indexes. */
  readonly indexedFields?: readonly string[];
  readonly subresources?: Readonly<Record<string, Subresource<T>>>;
  /** Set if responses have a deprecation warning. */
  readonly deprecation?: Deprecation;
  /** Feature gate that must be enabled for it to be served, in addition to `--runtime-config`. */
  readonly featureGate?: string;
  /** Features of the generic server for its objects. @default builtInCapabilities */
  readonly capabilities?: ResourceCapabilities;
}

/** Freezes a definition and infers `T` from the schema. */
export function defineResource<T extends ApiObject>(definition: ResourceDefinition<T>): ResourceDefinition<T> {
  return Object.freeze(definition);
}

/**
 * Definitions of different kinds as one list. The functions of a definition still expect objects of its own kind:
 * callers decode the object with the schema of the same definition.
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

/** The API version of a resource: `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(definition: Pick<ResourceDefinition, "group" | "version">): string {
  return definition.group === "" ? definition.version : `${definition.group}/${definition.version}`;
}

/** The warning in responses of a deprecated resource. */
export function deprecationWarning(
  definition: Pick<ResourceDefinition, "group" | "version" | "kind">,
  { since, removed, replacement, warning }: Deprecation,
): string {
  if (warning !== undefined) return warning;
  const gone = removed === undefined ? "" : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? "" : `; use ${replacement}`;
  return `${apiVersionOf(definition)} ${definition.kind} is deprecated in v${since}+${gone}${instead}`;
}

/** A resource as messages name it: `pods`, `deployments.apps`. */
export function qualifiedResource(definition: Pick<ResourceDefinition, "group" | "plural">): string {
  return definition.group === "" ? definition.plural : `${definition.plural}.${definition.group}`;
}
