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
import { type ConvertAtOnce, withConversions } from "./awaited-conversions.ts";
import { convertObject } from "./convert-object.ts";
import type { EncodedObject, StoredObject } from "./object-storage.ts";
import type { ServedVersion, WriteRequest } from "./served-version.ts";

/** The manager of fields that the server itself writes. */
export const serverManager = "orch-apiserver";

const tracked = (object: ApiObject): TrackedObject => object as unknown as TrackedObject;

/**
 * Keeps `metadata.managedFields` of one served version of a resource (KEP-555, server-side apply). The sets of fields
 * are computed in apimachinery; this class supplies the schema, the conversions to other versions and the times.
 *
 * Managers record their fields in the version that they used. When one writes through v1 what another owns through
 * v1beta1, the object is converted to compare them; that is why writes of a resource with a conversion webhook may call
 * it several times.
 */
export class FieldOwnership {
  readonly #served: ServedVersion;
  readonly #resets = new Map<string, FieldSet | undefined>();
  #tracker: FieldTracker | undefined;

  constructor(served: ServedVersion) {
    this.#served = served;
  }

  /**
   * The tracker of kinds whose conversions are functions. Created on first use, as most kinds are never written and a
   * tracker visits the schema. For kinds that a webhook converts, {@link tracking} has one.
   */
  get tracker(): FieldTracker {
    this.#tracker ??= this.#trackerWith((object, from, to) => {
      const converted = convertObject(object, from, to, this.#served.environment);
      if (converted instanceof Promise)
        throw new Error(`${from.kind} is converted by a webhook, which cannot be called synchronously`);
      return converted;
    });
    return this.#tracker;
  }

  /**
   * Runs `work` with a tracker. If a webhook converts, the work starts again with each of its results (see {@link
   * withConversions}), so it must have no side effects.
   */
  tracking<T>(request: Pick<WriteRequest, "signal">, work: (tracker: FieldTracker) => T | Promise<T>): T | Promise<T> {
    if (this.#served.definition.converter === undefined) return work(this.tracker);
    return withConversions(
      async (object, from, to) => convertObject(object, from, to, request),
      (converted) => work(this.#trackerWith(converted)),
    );
  }

  /**
   * Records the writer as owner of what it creates or changes. It comes after defaulting, as a default belongs to the
   * client that left the field out, and before admission, whose additions no manager owns. A write with `ownership:
   * "recorded"` has its managers already.
   *
   * @param before the stored object; undefined for a create
   * @returns a promise if a webhook converts
   */
  record(before: ApiObject | undefined, draft: Draft<ApiObject>, request: WriteRequest): void | Promise<void> {
    if (request.ownership === "recorded") return;
    const entries = this.tracking(request, (tracker) =>
      tracker.updated(
        before === undefined ? undefined : tracked(before),
        tracked(draft as ApiObject),
        this.writer(request),
      ),
    );
    const set = (managedFields: typeof entries): void => {
      draft.metadata.managedFields = managedFields as Draft<ApiObject>["metadata"]["managedFields"];
    };
    return entries instanceof Promise ? entries.then(set) : set(entries);
  }

  /**
   * The writer of a request as an entry of managedFields has it: manager, subresource, time, and the fields that the
   * endpoint resets.
   */
  writer({ manager, subresource, now }: WriteRequest): Writer {
    return { manager, subresource, time: this.#served.timestamp(now), reset: this.#reset(subresource) };
  }

  /**
   * The object to write in place of `encoded`. If only the times of its managers differ from what is stored, the stored
   * times stay, and the write becomes a no-op: controllers that apply the same configuration in a loop would otherwise
   * cause a new revision and an event for all watchers each time.
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

  /**
   * The fields that an endpoint resets, so that writing them there gives no ownership: `status` through the object
   * itself, and everything but metadata and status through the status subresource. Upstream: `GetResetFields`.
   */
  #reset(subresource: string): FieldSet | undefined {
    if (!this.#resets.has(subresource)) this.#resets.set(subresource, resetOf(this.#served.definition, subresource));
    return this.#resets.get(subresource);
  }

  /** A tracker that converts with the given function. */
  #trackerWith(converted: ConvertAtOnce): FieldTracker {
    const { definition } = this.#served;
    return fieldTracker({
      schema: definition.schema,
      apiVersion: apiVersionOf(definition),
      kind: definition.kind,
      version: (apiVersion) => this.#otherVersion(apiVersion, converted),
    });
  }

  /**
   * Another version of the same kind, for managers that used it; undefined if it is not served any more, whose managers
   * are then dropped.
   */
  #otherVersion(apiVersion: string, converted: ConvertAtOnce): OtherVersion | undefined {
    const { definition, environment } = this.#served;
    const other = environment.registry
      .definitions()
      .find(
        (one) => one.kind === definition.kind && one.group === definition.group && apiVersionOf(one) === apiVersion,
      );
    if (other === undefined) return undefined;
    const between = (from: ResourceDefinition, to: ResourceDefinition) => (object: TrackedObject) =>
      tracked(converted(canonicalize(from.schema, object) as ApiObject, from, to));
    return { schema: other.schema, convert: between(definition, other), restore: between(other, definition) };
  }
}

/** See {@link FieldOwnership.writer}; undefined if the endpoint resets nothing. */
function resetOf(definition: ResourceDefinition, subresource: string): FieldSet | undefined {
  if (definition.subresources?.status?.type !== "status") return undefined;
  if (subresource === "") return pathSet("f:status");
  if (subresource !== "status") return undefined;
  return Object.keys(definition.schema.fields())
    .filter((name) => name !== "metadata" && name !== "status")
    .map((name) => pathSet(`f:${name}`))
    .reduce((all, one) => unionFields(all, one), {});
}

/** Whether two objects are equal except for resourceVersion and managedFields. */
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
