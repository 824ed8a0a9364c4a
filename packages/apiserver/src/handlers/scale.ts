import { type ApiObject, type Draft, type JsonObject, Scale } from "@orchernetes/apimachinery";
import { atOnce } from "@orchernetes/kernel";
import type { StoredObject } from "../registry/object-storage.ts";
import { updateObject } from "../registry/update.ts";
import { handleApplyScale } from "./apply-scale.ts";
import { decodeObject } from "./decode-object.ts";
import { type ResourceRequest, readObjectBody, writeRequestOf } from "./endpoint.ts";
import { isApply, patchedObject, readPatch } from "./patch.ts";
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
import { parseWriteQuery } from "./write-options.ts";

/** Attempts after conflicts with other writers, then 409. */
const conflictRetries = 5;

/** GET of a scale subresource. */
export async function handleGetScale(request: ResourceRequest, subresource: ScaleSubresource): Promise<void> {
  const { state, served, environment, ref } = request;
  const negotiated = environment.negotiator.negotiate(state.req.headers.accept);
  const stored = await served.reader.get(ref, undefined);
  if (stored === undefined) throw missingScale(request);
  const { object } = await served.view(stored, state);
  await sendValue(state, 200, scaleOf(object, subresource), negotiated, Scale);
}

/**
 * PUT and PATCH of a scale subresource. They update the object through its main strategy, so that its generation
 * changes; the managed fields get an entry with subresource `scale`.
 *
 * @throws ApiError NotFound, Conflict, Invalid, or what admission throws
 */
export async function handleWriteScale(request: ResourceRequest, subresource: ScaleSubresource): Promise<void> {
  const { state, served, environment, ref } = request;
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
    state.audit?.requestObject(given);
    scaleFrom = () => given;
  }
  const outcome = await updateObject(
    served,
    {
      ref,
      strategy: served.definition.strategy,
      allowCreate: false,
      retries: conflictRetries,
      missing: () => missingScale(request),
      view: scaleView(request, subresource),
      produce: async (current) =>
        current !== undefined && scaled(request, subresource, current, await scaleFrom(current)),
    },
    writeRequestOf(request, query, { kind: scaleKind }),
  );
  await sendValue(state, 200, scaleOf(outcome.stored.object, subresource), negotiated, Scale);
}
