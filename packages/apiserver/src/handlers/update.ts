import { type ApiObject, badRequest, cloneJson, type Draft, type UpdateStrategy } from "@orchernetes/apimachinery";
import { mergeOwnerReferences } from "../registry/owner-references.ts";
import { updateObject } from "../registry/update.ts";
import { decodeObject, expectedKindOf } from "./decode-object.ts";
import { checkMayCreate, negotiatedFor, type ResourceRequest, readObjectBody, writeRequestOf } from "./endpoint.ts";
import { sendObject } from "./send-object.ts";
import { parseWriteQuery } from "./write-options.ts";

/** How often an update without a version starts over when others keep being faster. */
const unconditionalRetries = 50;

/** The strategy of the requested endpoint: the object's own or a subresource's. */
export function strategyOf({ served, subresource }: ResourceRequest): UpdateStrategy<ApiObject> {
  return subresource?.type === "status" || subresource?.type === "object"
    ? (subresource.strategy as unknown as UpdateStrategy<ApiObject>)
    : served.definition.strategy;
}

/** @throws ApiError BadRequest when object and path name different things */
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

/** PUT of an object or of its status. */
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
      // Hooks change what they are given, and an attempt may have to be made again.
      produce: () => cloneJson(draft),
    },
    writeRequestOf(request, query),
  );
  await sendObject(state, definition, outcome.created ? 201 : 200, outcome.stored, negotiated, environment.clock.now());
}
