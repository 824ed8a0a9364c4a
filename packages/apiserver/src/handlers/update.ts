import { type ApiObject, badRequest, cloneJson, type Draft, type UpdateStrategy } from "@orchernetes/apimachinery";
import { mergeOwnerReferences } from "../registry/owner-references.ts";
import { updateObject } from "../registry/update.ts";
import { decodeObject, expectedKindOf } from "./decode-object.ts";
import { checkMayCreate, negotiatedFor, type ResourceRequest, readObjectBody, writeRequestOf } from "./endpoint.ts";
import { sendObject } from "./send-object.ts";
import { parseWriteQuery } from "./write-options.ts";

/**
 * Attempts of an update without resourceVersion after conflicts with other writers. More than for patches: as the
 * client accepted to overwrite, it should not get a conflict at all.
 */
const unconditionalRetries = 50;

/** The strategy of the requested endpoint: the object's own or a subresource's. */
export function strategyOf({ served, subresource }: ResourceRequest): UpdateStrategy<ApiObject> {
  return subresource?.type === "status" || subresource?.type === "object"
    ? (subresource.strategy as unknown as UpdateStrategy<ApiObject>)
    : served.definition.strategy;
}

/** Checks that object and path have the same name and namespace, and sets the namespace. @throws ApiError BadRequest */
export function checkName(draft: Draft<ApiObject>, name: string, namespace: string): void {
  const own = draft.metadata.name ?? "";
  if (own === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  const ownNamespace = draft.metadata.namespace ?? "";
  if (namespace !== "" && ownNamespace !== "" && ownNamespace !== namespace) {
    throw badRequest(
      `the namespace of the object (${ownNamespace}) does not match the namespace on the URL (${namespace})`,
    );
  }
  draft.metadata.namespace = namespace === "" ? undefined : namespace;
}

/**
 * PUT of an object or of its status. Creates the object if its kind allows that and the user may create.
 *
 * @throws ApiError NotFound, Conflict, Invalid, BadRequest, or what admission throws
 */
export async function handleUpdate(request: ResourceRequest): Promise<void> {
  const { state, served, environment, ref, subresource } = request;
  const { definition } = served;
  const negotiated = negotiatedFor(request);
  const query = parseWriteQuery("UpdateOptions", state.query);
  const body = await readObjectBody(state, environment);
  const expected = expectedKindOf(definition);
  const draft = decodeObject(body, expected, query.fieldValidation, state.warn);
  state.audit?.requestObject(draft);
  checkName(draft, ref.name, ref.namespace);
  mergeOwnerReferences(draft, state.warn, "asReceived");
  definition.applyDefaults?.(draft);
  const outcome = await updateObject(
    served,
    {
      ref,
      strategy: strategyOf(request),
      uid: draft.metadata.uid,
      allowCreate: subresource === undefined && definition.strategy.allowCreateOnUpdate === true,
      mayCreate: () => checkMayCreate(request),
      retries: unconditionalRetries,
      // A copy: hooks and admission change it in place, and a conflict leads to another attempt with the original.
      produce: () => cloneJson(draft),
    },
    writeRequestOf(request, query),
  );
  await sendObject(state, definition, outcome.created ? 201 : 200, outcome.stored, negotiated, environment.clock.now());
}
