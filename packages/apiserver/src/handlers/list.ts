import {
  type ApiObject,
  apiVersionOf,
  capabilitiesOf,
  encodeListFrame,
  encodeListItem,
  listSchemaOf,
  type MessageSchema,
  parseJsonText,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import type { CacheEntry } from "@orchernetes/storage";
import { truncatedAnnotation } from "../audit/event.ts";
import { chunkBytes } from "../http/chunk-pool.ts";
import { ChunkSender } from "../http/chunk-sender.ts";
import { ChunkWriter } from "../http/chunk-writer.ts";
import { openBody } from "../http/compress.ts";
import type { Negotiated } from "../http/negotiate.ts";
import { baseHeaders } from "../http/respond.ts";
import { type ListOptions, parseListOptions } from "../registry/list-options.ts";
import type { ListResult } from "../registry/resource-reader.ts";
import { selectionOf } from "../registry/selection.ts";
import type { ServedVersion } from "../registry/served-version.ts";
import { listKindOf, negotiatedFor, type ResourceRequest } from "./endpoint.ts";
import { ListBody } from "./list-body.ts";
import { ListPace } from "./list-pace.ts";
import { type ListText, listText } from "./list-text.ts";
import { sendValue, wantsPretty } from "./send-object.ts";
import { columnDefinitions, includeObjectOf, partialMetadata, tableHead, tableRow } from "./table.ts";

/** Objects decoded before the event loop gets its turn (see {@link ListPace}): a few milliseconds of work. */
const decodeBatch = 200;
/** The same for encoding to protobuf and to YAML, which takes several times, and about a hundred times as long. */
const protobufBatch = 50;
const yamlBatch = 10;

/** ListMeta of a list. */
function listMetadata(result: ListResult, definition: ResourceDefinition): object {
  return {
    // Lists of custom resources always name their continue token.
    ...(capabilitiesOf(definition).typedLists ? {} : { continue: "" }),
    resourceVersion: String(result.revision),
    ...(result.continue === undefined ? {} : { continue: result.continue }),
    ...(result.remaining === undefined ? {} : { remainingItemCount: result.remaining }),
  };
}

/**
 * GET of a collection. How the list is produced depends on its form:
 *
 * - plain JSON, the form of nearly all requests: the bytes of the cache, concatenated ({@link ListBody}); nothing is
 *   decoded;
 * - protobuf, YAML, indented JSON: object by object, decoded and encoded again;
 * - tables and metadata only: object by object, decoded, and reduced to a row or to its metadata.
 *
 * Lists of any length are sent at the client's pace in turns of the event loop, so that one large list neither blocks
 * other requests nor needs memory for its whole text (except protobuf, whose envelope begins with the length).
 *
 * @throws ApiError BadRequest, Invalid, NotAcceptable, Expired, Timeout
 */
export async function handleList(request: ResourceRequest): Promise<void> {
  const { state, served, environment } = request;
  const negotiated = negotiatedFor(request);
  const options = parseListOptions(served.definition, state.query, false, environment.features);
  const result = await listOf(request, options);
  if (state.audit?.wantsResponse === true) await recordList(request, result, negotiated);
  const { tracer } = environment;
  if (tracer === undefined) return sendList(request, result, negotiated);
  const about = { count: result.entries.length, contentType: negotiated.contentType };
  await tracer.span("SerializeObject", about, () => sendList(request, result, negotiated));
}

/** Longest list in an audit record, in bytes; longer ones are marked as truncated instead. */
const maxRecordedBytes = 16 * 1024 * 1024;

/** Records the list of a response, which itself is sent in pieces: in the form that the client gets, as JSON. */
async function recordList(request: ResourceRequest, result: ListResult, negotiated: Negotiated): Promise<void> {
  const { state } = request;
  const json = await (negotiated.as === undefined
    ? wholeList(request, result)
    : wholeTransformed(request, result, negotiated));
  if (json === undefined) state.annotate(truncatedAnnotation, "true");
  else state.audit?.responseObject({}, json);
}

/** The list as JSON; undefined if it is too long for a record. */
async function wholeList(request: ResourceRequest, result: ListResult): Promise<Uint8Array | undefined> {
  const body = await listBodyOf(request, result);
  if (body.length > maxRecordedBytes) return undefined;
  const whole = Buffer.allocUnsafe(body.length);
  body.fill(whole);
  return whole.subarray(0, -1);
}

/** The list as a table or of metadata only, as JSON; undefined if it is too long for a record. */
async function wholeTransformed(
  request: ResourceRequest,
  result: ListResult,
  negotiated: Negotiated,
): Promise<Uint8Array | undefined> {
  const { head, rowOf } = transformed(request, result, negotiated);
  const pace = new ListPace(decodeBatch);
  const rows: string[] = [];
  let length = head.length;
  for (const entry of result.entries) {
    const row = rowOf(entry);
    length += row.length;
    if (length > maxRecordedBytes) return undefined;
    rows.push(row);
    if (pace.isOver(entry.length)) await request.environment.loop.nextTurn();
  }
  return Buffer.from(`${head}${rows.join(",")}]}`);
}

/** Sends a list in the negotiated form. */
async function sendList(request: ResourceRequest, result: ListResult, negotiated: Negotiated): Promise<void> {
  const { state, served } = request;
  if (negotiated.as === undefined) {
    if (negotiated.encoding === "json" && !wantsPretty(state)) return sendEntries(request, result, negotiated);
    if (result.entries.length === 0) {
      await sendValue(state, 200, await listValue(served, result), negotiated, listSchema(served.definition));
      return;
    }
    if (negotiated.encoding === "protobuf") return sendProtobuf(request, result, negotiated);
    const text = listText(state, negotiated, listHead(served, result), "items");
    return sendTexts(request, result, negotiated, text, (entry) => itemOf(served, entry));
  }
  await sendTransformed(request, result, negotiated);
}

/** Reads the objects that a list request selects, and observes how they were found. */
export async function listOf(
  { state, served, ref, environment }: ResourceRequest,
  options: ListOptions,
): Promise<ListResult> {
  const namespace = served.namespaced && ref.namespace !== "" ? ref.namespace : undefined;
  const selection = selectionOf(served.definition, { namespace }, options.labelSelector, options.fieldSelector);
  const { metrics, tracer } = environment;
  const read = () => served.reader.list(selection, options, state.signal);
  const { group, plural: resource } = served.definition;
  const result = await (tracer === undefined ? read() : tracer.span("List objects", { group, resource }, read));
  metrics?.observeList(served.definition, served.storage.prefix, {
    index: result.source === "store" ? undefined : (selection.fieldIndex?.field ?? ""),
    examined: result.examined,
    returned: result.entries.length,
  });
  if (result.remaining === undefined || environment.features.remainingItemCount) return result;
  return { ...result, remaining: undefined };
}

/** The schema of a resource's lists, for protobuf; undefined for custom resources, which have none. */
export function listSchema(definition: ResourceDefinition): MessageSchema | undefined {
  return capabilitiesOf(definition).protobuf ? listSchemaOf(definition.schema, definition.listKind) : undefined;
}

/** The list as a value, for other encodings than plain JSON. Decodes every object. */
export async function listValue(served: ServedVersion, result: ListResult): Promise<object> {
  const { loop } = served.environment;
  const items: object[] = [];
  const pace = new ListPace(decodeBatch);
  for (const entry of result.entries) {
    items.push(itemOf(served, entry));
    if (pace.isOver(entry.length)) await loop.nextTurn();
  }
  return { ...listHead(served, result), items };
}

/** A list without its items. */
function listHead({ definition }: ServedVersion, result: ListResult) {
  return {
    kind: listKindOf(definition),
    apiVersion: apiVersionOf(definition),
    metadata: listMetadata(result, definition),
  };
}

/** An object as an item of a list. Items of typed lists have no kind and apiVersion, as the list determines them. */
function itemOf({ definition }: ServedVersion, entry: CacheEntry): object {
  const object = parseJsonText(entry.json.toString()) as ApiObject;
  if (!capabilitiesOf(definition).typedLists) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  return item;
}

/** Sends a list as YAML or indented JSON, item by item. */
async function sendTexts(
  { state, environment }: ResourceRequest,
  { entries }: ListResult,
  negotiated: Negotiated,
  text: ListText,
  shown: (entry: CacheEntry) => unknown,
): Promise<void> {
  const writer = new ChunkWriter(state, environment, (known) =>
    openBody(state, 200, baseHeaders(state, negotiated.contentType), known),
  );
  const pace = new ListPace(negotiated.encoding === "yaml" ? yamlBatch : decodeBatch);
  await writer.add(text.head);
  for (const [index, entry] of entries.entries()) {
    await writer.add(await text.item(shown(entry), index));
    if (pace.isOver(entry.length)) await environment.loop.nextTurn();
  }
  await writer.add(text.tail);
  writer.end();
}

/**
 * Sends a list in protobuf. Its envelope begins with the length of all items, so they are encoded first and held in
 * memory.
 */
async function sendProtobuf(
  { state, served, environment }: ResourceRequest,
  result: ListResult,
  negotiated: Negotiated,
): Promise<void> {
  const { schema } = served.definition;
  const items: Buffer[] = [];
  let length = 0;
  const pace = new ListPace(protobufBatch);
  for (const entry of result.entries) {
    const item = encodeListItem(schema, parseJsonText(entry.json.toString()) as ApiObject);
    items.push(item);
    length += item.length;
    if (pace.isOver(entry.length)) await environment.loop.nextTurn();
  }
  const { apiVersion, kind, metadata } = listHead(served, result);
  const { head, tail } = encodeListFrame(apiVersion, kind, metadata, length);
  const writer = new ChunkWriter(state, environment, (known) =>
    openBody(state, 200, baseHeaders(state, negotiated.contentType), known),
  );
  for (const part of [head, ...items, tail]) await writer.add(part);
  writer.end();
}

/** The body of a list as plain JSON. */
function listBodyOf({ served, environment }: ResourceRequest, result: ListResult): Promise<ListBody> {
  const { definition } = served;
  const apiVersion = JSON.stringify(apiVersionOf(definition));
  const prefix = Buffer.from(`{"kind":${JSON.stringify(definition.kind)},"apiVersion":${apiVersion},`);
  const metadata = JSON.stringify(listMetadata(result, definition));
  const head = `{"kind":${JSON.stringify(listKindOf(definition))},"apiVersion":${apiVersion},"metadata":${metadata},"items":[`;
  return ListBody.of(environment.loop, Buffer.from(head), result.entries, prefix);
}

/**
 * Sends a list as plain JSON: cache bytes, concatenated. A short list is written as one buffer; longer ones alternate
 * between two chunks, of which one is filled while the other is being sent.
 */
async function sendEntries(request: ResourceRequest, result: ListResult, negotiated: Negotiated): Promise<void> {
  const { state, environment } = request;
  const body = await listBodyOf(request, result);
  const { length } = body;
  const sink = openBody(state, 200, baseHeaders(state, negotiated.contentType), { exactly: length });
  if (state.req.method === "HEAD") {
    sink.end();
    return;
  }
  if (length <= chunkBytes) {
    const whole = Buffer.allocUnsafe(length);
    body.fill(whole);
    sink.end(whole);
    return;
  }
  const sender = new ChunkSender(state, environment, sink);
  // If the headers were sent together with the first chunk, that chunk would be copied.
  if (sink === state.res) state.res.flushHeaders();
  for (let left = length; ; ) {
    const chunk = await sender.next();
    const used = body.fill(chunk);
    left -= used;
    if (left === 0) {
      sender.end(chunk, used);
      return;
    }
    sender.send(chunk, used);
  }
}

/** A list as a table or of metadata only: its head, and a function that makes a row or item of an entry, as JSON. */
function transformed(
  { state, served: { definition }, environment }: ResourceRequest,
  result: ListResult,
  { as, asApiVersion }: Negotiated,
): { readonly head: string; readonly rowOf: (entry: CacheEntry) => string } {
  const now = environment.clock.now();
  const metadata = listMetadata(result, definition);
  const objectOf = (entry: CacheEntry) => parseJsonText(entry.json.toString()) as ApiObject;
  if (as !== "Table")
    return {
      head: `{"kind":"PartialObjectMetadataList","apiVersion":${JSON.stringify(asApiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`,
      rowOf: (entry) => JSON.stringify(partialMetadata(objectOf(entry), asApiVersion)),
    };
  const include = includeObjectOf(state.query);
  return {
    head: tableHead(asApiVersion, metadata, columnDefinitions(definition)),
    rowOf: (entry) => tableRow(definition, objectOf(entry), now, include, asApiVersion),
  };
}

/** Sends a list as a table or of metadata only. */
async function sendTransformed(request: ResourceRequest, result: ListResult, negotiated: Negotiated): Promise<void> {
  const { state, environment } = request;
  const { head, rowOf } = transformed(request, result, negotiated);
  const { entries } = result;
  if (negotiated.encoding === "yaml" || wantsPretty(state)) {
    const list = JSON.parse(`${head}]}`);
    if (entries.length === 0) return await sendValue(state, 200, list, negotiated);
    const text = listText(state, negotiated, list, negotiated.as === "Table" ? "rows" : "items");
    return sendTexts(request, result, negotiated, text, (entry) => parseJsonText(rowOf(entry)));
  }
  const writer = new ChunkWriter(state, environment, (known) =>
    openBody(state, 200, baseHeaders(state, negotiated.contentType), known),
  );
  await writer.add(head);
  const pace = new ListPace(decodeBatch);
  for (const [index, entry] of entries.entries()) {
    await writer.add(index === 0 ? rowOf(entry) : `,${rowOf(entry)}`);
    if (pace.isOver(entry.length)) await environment.loop.nextTurn();
  }
  await writer.add("]}\n");
  writer.end();
}
