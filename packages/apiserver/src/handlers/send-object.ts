import {
  type ApiObject,
  capabilitiesOf,
  encodeProtobuf,
  type MessageSchema,
  notAcceptable,
  parseJsonText,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import { assertNever } from "@orchernetes/kernel";
import { jsonType, type Negotiated, offeredTypes } from "../http/negotiate.ts";
import { isTrue } from "../http/request-info.ts";
import type { RequestState } from "../http/request-state.ts";
import { sendBytes } from "../http/respond.ts";
import { yamlText } from "../yaml/yaml-text.ts";
import { yamlCaller } from "../yaml/yaml-thread.ts";
import { columnDefinitions, includeObjectOf, partialMetadata, tableHead, tableRow } from "./table.ts";

/** An object with the bytes it was stored as. */
export interface Sendable {
  readonly json: Buffer;
  readonly object: ApiObject;
}

/** The text of a JSON value as YAML, or as JSON with or without indentation. */
export function encodeText(negotiated: Negotiated, value: unknown, pretty: boolean): string {
  if (negotiated.encoding === "yaml") return yamlText(value);
  return pretty ? JSON.stringify(value, undefined, 2) : JSON.stringify(value);
}

/** Whether the client requested indented JSON. */
export function wantsPretty(state: RequestState): boolean {
  return state.info.query !== "" && isTrue(state.query.get("pretty")) && state.query.get("pretty") !== "";
}

/**
 * Responds with any JSON value.
 *
 * @param schema what protobuf needs to know of the value; without it the response is JSON
 * @returns a promise if the response takes longer than this turn of the event loop
 */
export function sendValue(
  state: RequestState,
  code: number,
  value: unknown,
  negotiated: Negotiated,
  schema?: MessageSchema,
  headers?: Readonly<Record<string, string>>,
): Promise<void> | undefined {
  const { encoding, contentType } = negotiated;
  state.audit?.responseObject(value as object);
  if (encoding === "yaml") return sendYaml(state, code, Buffer.from(JSON.stringify(value)), negotiated, headers);
  if (encoding === "json")
    sendBytes(state, code, contentType, encodeText(negotiated, value, wantsPretty(state)), headers);
  else if (schema === undefined) sendBytes(state, code, jsonType, JSON.stringify(value), headers);
  else {
    const body = encodeProtobuf(schema as MessageSchema<ApiObject>, value as ApiObject);
    sendBytes(state, code, contentType, body, headers);
  }
  return undefined;
}

/** Sends a JSON value as YAML; a long one is written in the YAML thread. */
function sendYaml(
  state: RequestState,
  code: number,
  json: Buffer,
  { contentType }: Negotiated,
  headers?: Readonly<Record<string, string>>,
): Promise<void> | undefined {
  const { yaml } = state;
  if (yaml?.isLong(json.length) === true)
    return yaml.write(json, yamlCaller(state)).then((text) => sendBytes(state, code, contentType, text, headers));
  sendBytes(state, code, contentType, yamlText(parseJsonText(json.toString())), headers);
  return undefined;
}

/** The schema for protobuf responses; undefined for custom resources, which have none. */
function protobufSchemaOf(definition: ResourceDefinition): MessageSchema | undefined {
  return capabilitiesOf(definition).protobuf ? definition.schema : undefined;
}

/**
 * Responds with one object in the negotiated form: itself, its metadata, or a table of one row. In plain JSON these are
 * the stored bytes, and `object`, which is a getter, is not decoded.
 *
 * @returns a promise if the response takes longer than this turn of the event loop
 * @throws ApiError NotAcceptable for a form that only lists have
 */
export function sendObject(
  state: RequestState,
  definition: ResourceDefinition,
  code: number,
  sendable: Sendable,
  negotiated: Negotiated,
  now: Date,
): Promise<void> | undefined {
  const { as, asApiVersion, encoding, contentType } = negotiated;
  const { json } = sendable;
  const plain = encoding === "json" && !wantsPretty(state);
  switch (as) {
    case undefined:
      if ((encoding === "yaml" || plain) && state.audit?.wantsResponse === true)
        state.audit.responseObject(sendable.object, json);
      if (encoding === "yaml") return sendYaml(state, code, json, negotiated);
      if (!plain) return sendValue(state, code, sendable.object, negotiated, protobufSchemaOf(definition));
      sendBytes(state, code, contentType, json);
      return undefined;
    case "PartialObjectMetadataList":
      throw notAcceptable(offeredTypes);
    case "PartialObjectMetadata":
      return sendValue(state, code, partialMetadata(sendable.object, asApiVersion), negotiated);
    case "Table": {
      const { object } = sendable;
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      const row = tableRow(definition, object, now, includeObjectOf(state.query), asApiVersion);
      const text = `${tableHead(asApiVersion, metadata, columnDefinitions(definition))}${row}]}`;
      if (!plain) return sendValue(state, code, parseJsonText(text), negotiated);
      if (state.audit?.wantsResponse === true) state.audit.responseObject(object, Buffer.from(text));
      sendBytes(state, code, contentType, text);
      return undefined;
    }
    default:
      return assertNever(as);
  }
}
