import {
  type ApiObject,
  type ListOf,
  listSchemaOf,
  parseJsonText,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import type { Negotiated } from "../http/negotiate.ts";
import type { RequestState } from "../http/request-state.ts";
import { sendValue } from "./send-object.ts";
import { columnDefinitions, includeObjectOf, partialMetadata, tableHead, tableRow } from "./table.ts";

/**
 * Responds with a list that a handler created, in the negotiated form: itself, its items' metadata, or a table.
 *
 * @returns a promise if the response takes longer than this turn of the event loop
 */
export function sendList(
  state: RequestState,
  definition: ResourceDefinition,
  code: number,
  list: ListOf<ApiObject>,
  negotiated: Negotiated,
  now: Date,
): Promise<void> | undefined {
  const { as, asApiVersion } = negotiated;
  if (as === undefined) {
    return sendValue(state, code, list, negotiated, listSchemaOf(definition.schema, definition.listKind));
  }
  if (as !== "Table") {
    const items = list.items.map((item) => partialMetadata(item, asApiVersion));
    const { metadata } = list;
    const kind = "PartialObjectMetadataList";
    return sendValue(state, code, { kind, apiVersion: asApiVersion, metadata, items }, negotiated);
  }
  const include = includeObjectOf(state.query);
  const rows = list.items.map((item) => tableRow(definition, item, now, include, asApiVersion));
  const head = tableHead(asApiVersion, list.metadata, columnDefinitions(definition));
  return sendValue(state, code, parseJsonText(`${head}${rows.join(",")}]}`), negotiated);
}
