import { type DeleteOptions, DeleteOptions as DeleteOptionsSchema, Status, success } from "@orchernetes/apimachinery";
import { deleteAll, deleteObject } from "../registry/delete.ts";
import { parseListOptions } from "../registry/list-options.ts";
import type { ListResult } from "../registry/resource-reader.ts";
import { decodeObject } from "./decode-object.ts";
import { negotiatedFor, type ResourceRequest, readObjectBody, writeRequestOf } from "./endpoint.ts";
import { listOf, listSchema, listValue } from "./list.ts";
import { sendObject, sendValue } from "./send-object.ts";
import { type DeleteQuery, parseDeleteOptions } from "./write-options.ts";

/**
 * Reads DeleteOptions from the body, or from the query when there is no body. DeleteOptions exist in every group version: typed
 * clients send the one of the resource they delete.
 *
 * @throws ApiError BadRequest, Invalid, UnsupportedMediaType
 */
async function readDeleteOptions({ state, environment }: ResourceRequest): Promise<DeleteQuery> {
  const body = await readObjectBody(state, environment);
  if (body.bytes.length === 0) return parseDeleteOptions(undefined, state.query);
  const expected = {
    kind: "DeleteOptions",
    apiVersion: "v1",
    schema: DeleteOptionsSchema,
    alsoAccepts: "any",
  } as const;
  const decoded = decodeObject(body, expected, "Ignore", state.warn);
  state.audit?.requestObject(decoded);
  return parseDeleteOptions(decoded as unknown as DeleteOptions, state.query);
}

/** DELETE of one object: 200 with a Status or the object; 202 when dependents go first and `orphanDependents` said so. */
export async function handleDelete(request: ResourceRequest): Promise<void> {
  const { state, served, environment, ref } = request;
  const { definition } = served;
  const negotiated = negotiatedFor(request);
  const asked = await readDeleteOptions(request);
  const outcome = await deleteObject(served, ref, asked, writeRequestOf(request, asked));
  // Only the deprecated field causes 202; clients with propagationPolicy have always got 200.
  const code = !outcome.removed && asked.orphanDependents === false ? 202 : 200;
  const finished = outcome.removed || outcome.pending;
  if (finished && definition.strategy.returnDeletedObject !== true) {
    const { name = "", uid } = outcome.stored.object.metadata;
    const group = definition.group === "" ? {} : { group: definition.group };
    const details = { name, ...group, kind: definition.plural, ...(uid === undefined ? {} : { uid }) };
    await sendValue(state, code, success(details), negotiated, Status);
    return;
  }
  await sendObject(state, definition, code, outcome.stored, negotiated, environment.clock.now());
}

/**
 * DELETE of a collection. Deletes the objects that the selectors match, several at a time, and responds with their list
 * as it was read before. It is not atomic: an error leaves some of them deleted. @throws ApiError of the first delete
 * that failed
 */
export async function handleDeleteCollection(request: ResourceRequest): Promise<void> {
  const { state, served, environment } = request;
  const negotiated = negotiatedFor(request);
  const asked = await readDeleteOptions(request);
  const options = parseListOptions(served.definition, state.query, false, environment.features);
  const result: ListResult = await listOf(request, options);
  const write = writeRequestOf(request, asked, { ofCollection: true });
  await deleteAll(result.entries, environment.deleteCollectionWorkers, async ({ namespace, name }) => {
    await deleteObject(served, { namespace, name }, asked, write);
  });
  await sendValue(state, 200, await listValue(served, result), negotiated, listSchema(served.definition));
}
