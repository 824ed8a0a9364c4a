import {
  type ApiObject,
  apiVersionOf,
  canonicalize,
  type Draft,
  equalButForTimes,
  equalJson,
  type FieldSet,
  type FieldTracker,
  fieldTracker,
  type OtherVersion,
  pathSet,
  type ResourceDefinition,
  type TrackedObject,
  unionFields,
  type Writer,
} from "@orchernetes/apimachinery";
import type { EncodedObject, StoredObject } from "./object-storage.ts";
import type { ServedVersion, WriteRequest } from "./served-version.ts";

/** Who owns what the server itself writes. */
export const serverManager = "orch-apiserver";

const tracked = (object: ApiObject): TrackedObject => object as unknown as TrackedObject;

/** Keeps `metadata.managedFields` of one served version of a resource. */
export class FieldOwnership {
  readonly #served: ServedVersion;
  readonly #resets = new Map<string, FieldSet | undefined>();
  #tracker: FieldTracker | undefined;

  constructor(served: ServedVersion) {
    this.#served = served;
  }

  /** Made on first use: most kinds are never written. */
  get tracker(): FieldTracker {
    this.#tracker ??= fieldTracker({
      schema: this.#served.definition.schema,
      apiVersion: apiVersionOf(this.#served.definition),
      kind: this.#served.definition.kind,
      version: (apiVersion) => this.#otherVersion(apiVersion),
    });
    return this.#tracker;
  }

  /**
   * Records the writer as owner of what it creates or changes; after defaults and before admission, whose additions no manager
   * owns.
   */
  record(before: ApiObject | undefined, draft: Draft<ApiObject>, request: WriteRequest): void {
    if (request.ownership === "recorded") return;
    const entries = this.tracker.updated(
      before === undefined ? undefined : tracked(before),
      tracked(draft as ApiObject),
      this.writer(request),
    );
    draft.metadata.managedFields = entries as Draft<ApiObject>["metadata"]["managedFields"];
  }

  /** The writer of a request, as ownership knows it. */
  writer({ manager, subresource, now }: WriteRequest): Writer {
    return { manager, subresource, time: this.#served.timestamp(now), reset: this.#reset(subresource) };
  }

  /**
   * The object to write in place of `encoded`: when only the times of its managers differ from what is stored, those stay, so
   * that nothing is written.
   */
  keepTimes(encoded: EncodedObject, current: StoredObject): EncodedObject {
    const { storage } = this.#served;
    const { object } = encoded;
    const { managedFields } = object.metadata;
    const old = current.object.metadata.managedFields;
    if (managedFields === undefined || managedFields.length !== old?.length) return encoded;
    if (managedFields.every((entry, i) => entry.time === old[i]?.time)) return encoded;
    if (!equalRest(object, current.object) || !equalButForTimes(managedFields, old)) return encoded;
    return storage.encode({ ...object, metadata: { ...object.metadata, managedFields: old } });
  }

  /** What an endpoint resets: status through the object itself, all but metadata and status through the status. */
  #reset(subresource: string): FieldSet | undefined {
    if (!this.#resets.has(subresource)) this.#resets.set(subresource, resetOf(this.#served.definition, subresource));
    return this.#resets.get(subresource);
  }

  #otherVersion(apiVersion: string): OtherVersion | undefined {
    const { definition, environment } = this.#served;
    const other = environment.registry
      .definitions()
      .find(
        (one) => one.kind === definition.kind && one.group === definition.group && apiVersionOf(one) === apiVersion,
      );
    if (other === undefined) return undefined;
    return {
      schema: other.schema,
      convert: (object) => {
        const stored = this.#served.toStored(canonicalize(definition.schema, object));
        return tracked(canonicalize(other.schema, other.storedAs?.fromStored(stored) ?? stored));
      },
      restore: (object) => {
        const there = canonicalize(other.schema, object);
        const stored = other.storedAs?.toStored(there) ?? there;
        return tracked(canonicalize(definition.schema, definition.storedAs?.fromStored(stored) ?? stored));
      },
    };
  }
}

function resetOf(definition: ResourceDefinition, subresource: string): FieldSet | undefined {
  if (definition.subresources?.status?.type !== "status") return undefined;
  if (subresource === "") return pathSet("f:status");
  if (subresource !== "status") return undefined;
  return Object.keys(definition.schema.fields())
    .filter((name) => name !== "metadata" && name !== "status")
    .map((name) => pathSet(`f:${name}`))
    .reduce((all, one) => unionFields(all, one), {});
}

/** Whether two objects are equal apart from version and managers. */
function equalRest(a: ApiObject, b: ApiObject): boolean {
  const strip = (object: ApiObject): unknown => ({
    ...object,
    metadata: undefined,
  });
  const meta = (object: ApiObject): unknown => ({
    ...object.metadata,
    managedFields: undefined,
    resourceVersion: undefined,
  });
  return equalJson(meta(a), meta(b)) && equalJson(strip(a), strip(b));
}
