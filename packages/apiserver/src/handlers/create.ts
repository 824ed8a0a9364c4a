import { type ApiObject, badRequest, type Draft } from "@orchernetes/apimachinery";
import { createObject } from "../registry/create.ts";
import { mergeOwnerReferences } from "../registry/owner-references.ts";
import { decodeObject, expectedKindOf } from "./decode-object.ts";
import { negotiatedFor, type ResourceRequest, readObjectBody, writeRequestOf } from "./endpoint.ts";
import { sendObject } from "./send-object.ts";
import { parseWriteQuery } from "./write-options.ts";

/**
 * Sets the namespace of the path on an object. Authorization was for that one. @throws ApiError BadRequest when the
 * object names another
 */
export function setNamespace(draft: Draft<ApiObject>, namespace: string): void {
  const own = draft.metadata.namespace ?? "";
  if (own !== "" && namespace !== "" && own !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  draft.metadata.namespace = namespace === "" ? undefined : namespace;
}

/**
 * POST to a collection. The response is decided (negotiation, options) before the body is read, so that a client with a
 * bad Accept header creates nothing. @throws ApiError as {@link createObject} does
 */
export async function handleCreate(request: ResourceRequest): Promise<void> {
  const { state, served, environment, ref } = request;
  const { definition } = served;
  const negotiated = negotiatedFor(request);
  const query = parseWriteQuery("CreateOptions", state.query);
  const body = await readObjectBody(state, environment);
  const expected = expectedKindOf(definition);
  const draft = decodeObject(body, expected, query.fieldValidation, state.warn);
  state.audit?.requestObject(draft);
  setNamespace(draft, ref.namespace);
  mergeOwnerReferences(draft, state.warn, "asReceived");
  const stored = await createObject(served, draft, writeRequestOf(request, query));
  await sendObject(state, definition, 201, stored, negotiated, environment.clock.now());
}
