import {
  type ApiObject,
  type Draft,
  type FieldSet,
  type FieldTracker,
  fieldTracker,
  Scale,
  type TrackedObject,
} from "@orchernetes/apimachinery";
import type { StoredObject } from "../registry/object-storage.ts";
import type { WriteRequest } from "../registry/served-version.ts";
import { updateObject } from "../registry/update.ts";
import { parseForce, readConfiguration } from "./apply.ts";
import { decodeValue } from "./decode-object.ts";
import { type ResourceRequest, writeRequestOf } from "./endpoint.ts";
import {
  expectedScale,
  missingScale,
  type ScaleSubresource,
  scaled,
  scaleKind,
  scaleOf,
  scaleView,
} from "./scale-objects.ts";
import { sendValue } from "./send-object.ts";
import type { WriteQuery } from "./write-options.ts";

/** Attempts after conflicts with other writers, then 409. */
const conflictRetries = 5;

/**
 * Validates and merges scales. Ownership is not kept in the Scale, which is not stored: the owner of the replicas is
 * recorded in the object.
 */
const scales: FieldTracker = fieldTracker({ schema: Scale, apiVersion: "autoscaling/v1", kind: "Scale" });

const tracked = (object: ApiObject): TrackedObject => object as unknown as TrackedObject;

/**
 * PATCH of a scale subresource by server-side apply. The manager becomes the owner of the object's replicas, in an
 * entry with subresource `scale`. @throws ApiError Conflict if another manager owns them and `force` is not set
 */
export async function handleApplyScale(
  request: ResourceRequest,
  subresource: ScaleSubresource,
  query: WriteQuery,
): Promise<void> {
  const { state, served, environment, ref } = request;
  const negotiated = environment.negotiator.negotiate(state.req.headers.accept);
  const force = parseForce(state.query, true);
  const configuration = await readConfiguration(request, query.fieldValidation);
  const write = writeRequestOf(request, query, { ownership: "recorded", kind: scaleKind });
  const outcome = await updateObject(
    served,
    {
      ref,
      strategy: served.definition.strategy,
      allowCreate: false,
      retries: conflictRetries,
      missing: () => missingScale(request),
      view: scaleView(request, subresource),
      produce: (current) =>
        current === undefined ? false : appliedScale(request, subresource, write, current, configuration, force),
    },
    write,
  );
  await sendValue(state, 200, scaleOf(outcome.stored.object, subresource), negotiated, Scale);
}

/** The object with the applied scale and its new managed fields. */
async function appliedScale(
  request: ResourceRequest,
  subresource: ScaleSubresource,
  write: WriteRequest,
  current: StoredObject,
  configuration: unknown,
  force: boolean,
): Promise<Draft<ApiObject>> {
  const { served } = request;
  const live = scaleOf(current.object, subresource);
  const { object } = scales.applied(tracked(live), configuration, served.fields.writer(write), true);
  const scale = decodeValue(object, [], expectedScale, "Ignore", write.warn);
  const draft = scaled(request, subresource, current, scale);
  const { replicas } = (configuration as { spec?: { replicas?: unknown } | null }).spec ?? {};
  const fields = replicas === undefined ? {} : replicasOf(served.fields.tracker, subresource, current);
  const entries = await served.fields.tracking(write, (tracker) =>
    tracker.recorded(tracked(current.object), tracked(draft as ApiObject), fields, served.fields.writer(write), force),
  );
  draft.metadata.managedFields = entries as Draft<ApiObject>["metadata"]["managedFields"];
  return draft;
}

/**
 * The field in which an object keeps its replicas: what differs between two scales of it. Definitions have only a
 * setter, and for custom resources the path is part of each one's definition.
 */
function replicasOf(tracker: FieldTracker, subresource: ScaleSubresource, current: StoredObject): FieldSet {
  const one = current.draft();
  const other = current.draft();
  subresource.set(one as never, 1);
  subresource.set(other as never, 2);
  return tracker.differences(tracked(one as ApiObject), tracked(other as ApiObject)) ?? {};
}
