import {
  type ApiObject,
  conflict,
  type Draft,
  field,
  invalid,
  notFound,
  Scale,
  type Scale as ScaleObject,
  type Subresource,
} from "@orchernetes/apimachinery";
import type { StoredObject } from "../registry/object-storage.ts";
import type { AdmissionView } from "../registry/update.ts";
import type { ResourceRequest } from "./endpoint.ts";
import { checkName } from "./update.ts";

/**
 * The definition of a scale subresource: how to read the replicas and the selector of an object, and how to set the
 * replicas.
 */
export type ScaleSubresource = Extract<Subresource<ApiObject>, { readonly type: "scale" }>;

/** The kind of bodies of a scale subresource. */
export const expectedScale = { kind: "Scale", apiVersion: "autoscaling/v1", schema: Scale };
/** The kind that admission sees. */
export const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** The scale of an object: its replica counts under its own identity. */
export function scaleOf(object: ApiObject, subresource: ScaleSubresource): ScaleObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { specReplicas, statusReplicas, selector } = subresource.get(object);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: specReplicas === 0 ? {} : { replicas: specReplicas },
    status: { replicas: statusReplicas, ...(selector === "" ? {} : { selector }) },
  } as ScaleObject;
}

/** 404 for the scale of an object that does not exist. */
export const missingScale = ({ served, ref }: ResourceRequest) =>
  notFound({ group: served.resource.group, plural: `${served.resource.plural}/scale` }, ref.name);

/**
 * A copy of the object with the replicas of a scale. The scale's resourceVersion and uid are preconditions, as those of
 * an object are.
 *
 * @throws ApiError Conflict, Invalid, BadRequest
 */
export function scaled(
  { served, ref }: ResourceRequest,
  subresource: ScaleSubresource,
  current: StoredObject,
  scale: Draft<ApiObject>,
): Draft<ApiObject> {
  checkName(scale, ref.name, ref.namespace);
  const { metadata } = scale;
  if (metadata.resourceVersion && metadata.resourceVersion !== current.object.metadata.resourceVersion) {
    throw conflict(served.resource, ref.name);
  }
  if (metadata.uid && metadata.uid !== current.object.metadata.uid) {
    throw conflict(
      served.resource,
      ref.name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${current.object.metadata.uid ?? ""}`,
    );
  }
  const draft = current.draft();
  subresource.set(draft as never, replicasOf(scale, ref.name));
  return draft;
}

/** The desired replicas of a scale; 0 if absent. @throws ApiError Invalid if negative */
function replicasOf(scale: Draft<ApiObject>, name: string): number {
  const replicas = (scale as unknown as ScaleObject).spec?.replicas ?? 0;
  if (replicas >= 0) return replicas;
  const error = field.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
  throw invalid({ group: "autoscaling", kind: "Scale" }, name, [error]);
}

/**
 * What admission sees of a write through a scale subresource: the scale and not the object; it may change the replicas.
 */
export function scaleView({ ref }: Pick<ResourceRequest, "ref">, subresource: ScaleSubresource): AdmissionView {
  return {
    of: (object) => scaleOf(object, subresource) as unknown as Draft<ApiObject>,
    takeOver(draft, scale) {
      const replicas = replicasOf(scale, ref.name);
      if (replicas !== subresource.get(draft as ApiObject).specReplicas) subresource.set(draft as never, replicas);
    },
  };
}
