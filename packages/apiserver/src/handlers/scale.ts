import {
  type ApiObject,
  conflict,
  type Draft,
  field,
  invalid,
  type JsonObject,
  notFound,
  Scale,
  type Scale as ScaleObject,
  type Subresource,
} from "@orchernetes/apimachinery";
import { atOnce } from "@orchernetes/kernel";
import type { StoredObject } from "../registry/object-storage.ts";
import { updateObject } from "../registry/update.ts";
import { handleApplyScale } from "./apply-scale.ts";
import { decodeObject } from "./decode-object.ts";
import { type ResourceRequest, readObjectBody, writeRequestOf } from "./endpoint.ts";
import { isApply, patchedObject, readPatch } from "./patch.ts";
import { sendValue } from "./send-object.ts";
import { checkName } from "./update.ts";
import { parseWriteQuery } from "./write-options.ts";

export type ScaleSubresource = Extract<Subresource<ApiObject>, { readonly type: "scale" }>;

/** What a scale must be. */
export const expectedScale = { kind: "Scale", apiVersion: "autoscaling/v1", schema: Scale };
/** The kind that admission sees. */
export const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };
const conflictRetries = 5;

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

/** 404 of an object that would have the scale. */
export const missingScale = ({ core, ref }: ResourceRequest) =>
  notFound({ group: core.resource.group, plural: `${core.resource.plural}/scale` }, ref.name);

/** GET of a scale subresource. */
export async function handleGetScale(request: ResourceRequest, subresource: ScaleSubresource): Promise<void> {
  const { state, core, environment, ref } = request;
  const negotiated = environment.negotiator.negotiate(state.req.headers.accept);
  const stored = await core.storage.reads.get(core, ref, undefined);
  if (stored === undefined) throw missingScale(request);
  await sendValue(state, 200, scaleOf(core.view(stored).object, subresource), negotiated, Scale);
}

/** PUT and PATCH of a scale subresource. */
export async function handleWriteScale(request: ResourceRequest, subresource: ScaleSubresource): Promise<void> {
  const { state, core, environment, ref } = request;
  const negotiated = environment.negotiator.negotiate(state.req.headers.accept);
  const patching = state.info.verb === "patch";
  const query = parseWriteQuery(patching ? "PatchOptions" : "UpdateOptions", state.query);
  if (patching && isApply(request)) return handleApplyScale(request, subresource, query);
  let scaleFrom: (current: StoredObject) => Draft<ApiObject> | Promise<Draft<ApiObject>>;
  if (patching) {
    const patch = await readPatch(request, query);
    scaleFrom = (current) => {
      const document = JSON.parse(JSON.stringify(scaleOf(current.object, subresource))) as JsonObject;
      return atOnce(patchedObject(patch, expectedScale, document, query.fieldValidation, state.warn));
    };
  } else {
    const body = await readObjectBody(state, environment);
    const given = decodeObject(body, expectedScale, query.fieldValidation, state.warn);
    scaleFrom = () => given;
  }
  const outcome = await updateObject(
    core,
    {
      ref,
      strategy: core.definition.strategy,
      allowCreate: false,
      retries: conflictRetries,
      missing: () => missingScale(request),
      produce: async (current) =>
        current !== undefined && scaled(request, subresource, current, await scaleFrom(current)),
    },
    writeRequestOf(request, query, { kind: scaleKind }),
  );
  await sendValue(state, 200, scaleOf(outcome.stored.object, subresource), negotiated, Scale);
}

/** The object with the replicas of a scale. @throws ApiError Conflict, Invalid */
export function scaled(
  { core, ref }: ResourceRequest,
  subresource: ScaleSubresource,
  current: StoredObject,
  scale: Draft<ApiObject>,
): Draft<ApiObject> {
  checkName(scale, ref.name, ref.namespace);
  const { metadata } = scale;
  if (metadata.resourceVersion && metadata.resourceVersion !== current.object.metadata.resourceVersion) {
    throw conflict(core.resource, ref.name);
  }
  if (metadata.uid && metadata.uid !== current.object.metadata.uid) {
    throw conflict(
      core.resource,
      ref.name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${current.object.metadata.uid ?? ""}`,
    );
  }
  const replicas = (scale as unknown as ScaleObject).spec.replicas ?? 0;
  if (replicas < 0) {
    const error = field.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
    throw invalid({ group: "autoscaling", kind: "Scale" }, ref.name, [error]);
  }
  const draft = current.draft();
  subresource.set(draft as never, replicas);
  return draft;
}
