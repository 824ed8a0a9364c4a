import {
  type ApiObject,
  encodeProtobuf,
  type MessageSchema,
  notAcceptable,
  parseJsonText,
  type ResourceDefinition,
  yamlLibrary,
} from "@orchernetes/apimachinery";
import { isUnstructured } from "../discovery/resource-list.ts";
import { jsonType, type Negotiated, offeredTypes } from "../http/negotiate.ts";
import { isTrue } from "../http/request-info.ts";
import type { RequestState } from "../http/request-state.ts";
import { sendBytes } from "../http/respond.ts";
import { columnDefinitions, includeObjectOf, partialMetadata, tableHead, tableRow } from "./table.ts";

/** An object with the bytes it was stored as. */
export interface Sendable {
  readonly json: Buffer;
  readonly object: ApiObject;
}

/** Text of a JSON value in the encoding asked for. */
export function encodeText(negotiated: Negotiated, value: unknown, pretty: boolean): string {
  if (negotiated.encoding === "yaml")
    return yamlLibrary().stringify(value, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false });
  return pretty ? JSON.stringify(value, undefined, 2) : JSON.stringify(value);
}

/** Whether the client asked for indented JSON. */
export function wantsPretty(state: RequestState): boolean {
  return state.info.query !== "" && isTrue(state.query.get("pretty")) && state.query.get("pretty") !== "";
}

/**
 * Answers with any JSON value.
 *
 * @param schema what protobuf needs to know of the value; without it such answers are JSON
 */
export function sendValue(
  state: RequestState,
  code: number,
  value: unknown,
  negotiated: Negotiated,
  schema?: MessageSchema,
  headers?: Readonly<Record<string, string>>,
): void {
  if (negotiated.encoding === "protobuf") {
    if (schema === undefined) sendBytes(state, code, jsonType, JSON.stringify(value), headers);
    else {
      const body = encodeProtobuf(schema as MessageSchema<ApiObject>, value as ApiObject);
      sendBytes(state, code, negotiated.contentType, body, headers);
    }
    return;
  }
  sendBytes(state, code, negotiated.contentType, encodeText(negotiated, value, wantsPretty(state)), headers);
}

/** The schema that protobuf answers are written by; custom resources have none. */
export function protobufSchemaOf(definition: ResourceDefinition): MessageSchema | undefined {
  return isUnstructured(definition) ? undefined : definition.schema;
}

/** Answers with one object in the form asked for: itself, its metadata, or a table of one row. */
export function sendObject(
  state: RequestState,
  definition: ResourceDefinition,
  code: number,
  sendable: Sendable,
  negotiated: Negotiated,
  now: Date,
): void {
  if (negotiated.as === undefined) {
    if (negotiated.encoding === "json" && !wantsPretty(state))
      sendBytes(state, code, negotiated.contentType, sendable.json);
    else sendValue(state, code, sendable.object, negotiated, protobufSchemaOf(definition));
    return;
  }
  if (negotiated.as === "PartialObjectMetadataList") throw notAcceptable(offeredTypes);
  const { object } = sendable;
  if (negotiated.as === "PartialObjectMetadata") {
    sendValue(state, code, partialMetadata(object, negotiated.asApiVersion), negotiated);
    return;
  }
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  const include = includeObjectOf(state.query);
  const row = tableRow(definition, object, now, include, negotiated.asApiVersion);
  const text = `${tableHead(negotiated.asApiVersion, metadata, columnDefinitions(definition))}${row}]}`;
  if (negotiated.encoding === "json" && !wantsPretty(state)) sendBytes(state, code, negotiated.contentType, text);
  else sendValue(state, code, parseJsonText(text), negotiated);
}
