import type { Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type ApiObject,
  apiVersionOf,
  listSchemaOf,
  type MessageSchema,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import type { CacheEntry } from "@orchernetes/storage";
import { isUnstructured } from "../discovery/resource-list.ts";
import { type AnswerLength, openBody } from "../http/compress.ts";
import type { Negotiated } from "../http/negotiate.ts";
import type { RequestState } from "../http/request-state.ts";
import { baseHeaders } from "../http/respond.ts";
import { type ListOptions, parseListOptions } from "../registry/list-options.ts";
import { type ListResult, readList } from "../registry/read.ts";
import type { ResourceCore } from "../registry/resource-core.ts";
import { selectionOf } from "../registry/selection.ts";
import { listKindOf, type ResourceRequest } from "./endpoint.ts";
import { sendValue, wantsPretty } from "./send-object.ts";
import { columnDefinitions, includeObjectOf, partialMetadata, tableHead, tableRow } from "./table.ts";

const chunkBytes = 256 * 1024;
/** Objects decoded before the event loop gets its turn. */
const decodeBatch = 200;

/** The metadata of a list. */
export function listMetadata(result: ListResult, definition: ResourceDefinition): object {
  return {
    // Lists of custom resources always name their continue token.
    ...(isUnstructured(definition) ? { continue: "" } : {}),
    resourceVersion: String(result.revision),
    ...(result.continue === undefined ? {} : { continue: result.continue }),
    ...(result.remaining === undefined ? {} : { remainingItemCount: result.remaining }),
  };
}

/** GET of a collection. */
export async function handleList(request: ResourceRequest): Promise<void> {
  const { state, core, environment } = request;
  const negotiated = environment.negotiator.negotiate(state.req.headers.accept);
  const options = parseListOptions(core.definition, state.query, false);
  const result = await listOf(request, options);
  if (negotiated.as === undefined) {
    if (negotiated.encoding === "json" && !wantsPretty(state)) return sendEntries(state, core, result, negotiated);
    sendValue(state, 200, await listValue(core, result), negotiated, listSchema(core.definition));
    return;
  }
  await sendTransformed(request, result, negotiated);
}

/** Reads what a list request selects. */
export function listOf({ state, core, ref }: ResourceRequest, options: ListOptions): Promise<ListResult> {
  const namespace = core.namespaced && ref.namespace !== "" ? ref.namespace : undefined;
  const selection = selectionOf(core.definition, { namespace }, options.labelSelector, options.fieldSelector);
  return readList(core, selection, options, state.signal);
}

/** The schema of a resource's lists, for protobuf; custom resources have none. */
export function listSchema(definition: ResourceDefinition): MessageSchema | undefined {
  return isUnstructured(definition) ? undefined : listSchemaOf(definition.schema, definition.listKind);
}

/** The list as a value, for other encodings than plain JSON. */
export async function listValue(core: ResourceCore, result: ListResult): Promise<object> {
  const items: ApiObject[] = [];
  const unstructured = isUnstructured(core.definition);
  for (const [index, entry] of result.entries.entries()) {
    const object = JSON.parse(entry.json.toString()) as ApiObject;
    const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
    items.push(unstructured ? object : item);
    if (index % decodeBatch === decodeBatch - 1) await nextTurn();
  }
  return {
    kind: listKindOf(core.definition),
    apiVersion: apiVersionOf(core.definition),
    metadata: listMetadata(result, core.definition),
    items,
  };
}

/** Writes parts of a long answer, a chunk at a time, at the client's pace. */
export class ChunkWriter {
  readonly #state: RequestState;
  readonly #open: (length: AnswerLength) => Writable;
  #sink: Writable | undefined;
  #chunk = Buffer.allocUnsafe(chunkBytes);
  #used = 0;

  /**
   * @param open writes the answer's head once the first bytes are there, and gives the stream that takes the body
   */
  constructor(state: RequestState, open: (length: AnswerLength) => Writable) {
    this.#state = state;
    this.#open = open;
  }

  /** Adds bytes; a promise when the client has to catch up first. */
  add(bytes: Buffer, start: number): void | Promise<void> {
    const from = start;
    const length = bytes.length - start;
    if (length <= chunkBytes - this.#used) {
      bytes.copy(this.#chunk, this.#used, from);
      this.#used += length;
      return;
    }
    return this.#addLong(bytes, from);
  }

  async #addLong(bytes: Buffer, start: number): Promise<void> {
    let from = start;
    while (from < bytes.length) {
      const room = chunkBytes - this.#used;
      const copied = bytes.copy(this.#chunk, this.#used, from, Math.min(bytes.length, from + room));
      this.#used += copied;
      from += copied;
      if (this.#used === chunkBytes) await this.flush();
    }
  }

  /** Sends what is waiting. */
  async flush(): Promise<void> {
    if (this.#used === 0) return;
    const { res } = this.#state;
    const full = this.#chunk.subarray(0, this.#used);
    this.#sink ??= this.#open({ atLeast: this.#used });
    this.#chunk = Buffer.allocUnsafe(chunkBytes);
    this.#used = 0;
    if (this.#sink.write(full)) {
      await nextTurn();
    } else {
      await drained(this.#sink);
    }
    if (this.#state.aborted || res.destroyed) throw new ClientGone();
  }

  /** Sends the rest; the answer is complete. */
  end(): void {
    this.#sink ??= this.#open({ exactly: this.#used });
    this.#sink.end(this.#chunk.subarray(0, this.#used));
  }
}

/** The client closed its connection; there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Resolves when the stream takes more bytes, or will never again. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done).off("close", done);
      resolve();
    };
    stream.on("drain", done).on("close", done);
    if (stream.destroyed || !stream.writableNeedDrain) done();
  });
}

const open = 0x7b;

/** How many bytes `{"kind":…,"apiVersion":…,` has at the front of an entry: list items do not repeat them. */
function prefixLength(entry: CacheEntry, prefix: Buffer): number {
  const { json } = entry;
  return json.length > prefix.length && json.compare(prefix, 0, prefix.length, 0, prefix.length) === 0
    ? prefix.length
    : 1;
}

/** LIST as plain JSON: cache bytes, concatenated. Nothing is decoded. */
async function sendEntries(
  state: RequestState,
  core: ResourceCore,
  result: ListResult,
  negotiated: Negotiated,
): Promise<void> {
  const { definition } = core;
  const kind = JSON.stringify(definition.kind);
  const apiVersion = JSON.stringify(apiVersionOf(definition));
  const prefix = Buffer.from(`{"kind":${kind},"apiVersion":${apiVersion},`);
  const head = Buffer.from(
    `{"kind":${JSON.stringify(listKindOf(definition))},"apiVersion":${apiVersion},"metadata":${JSON.stringify(listMetadata(result, definition))},"items":[`,
  );
  const tail = Buffer.from("]}\n");
  const { entries } = result;
  let length = head.length + tail.length + Math.max(0, entries.length - 1);
  for (const entry of entries) length += entry.json.length - prefixLength(entry, prefix) + 1;

  if (state.req.method === "HEAD") {
    openBody(state, 200, baseHeaders(state, negotiated.contentType), { exactly: length }).end();
    return;
  }
  const writer = new ChunkWriter(state, () =>
    openBody(state, 200, baseHeaders(state, negotiated.contentType), { exactly: length }),
  );
  const first = Buffer.from([open]);
  const separator = Buffer.from([0x2c, open]);
  await writer.add(head, 0);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    if (entry === undefined) continue;
    const before = writer.add(i === 0 ? first : separator, 0);
    if (before !== undefined) await before;
    const body = writer.add(entry.json, prefixLength(entry, prefix));
    if (body !== undefined) await body;
  }
  await writer.add(tail, 0);
  writer.end();
}

async function sendTransformed(
  { state, core, environment }: ResourceRequest,
  result: ListResult,
  negotiated: Negotiated,
): Promise<void> {
  const { definition } = core;
  const { asApiVersion } = negotiated;
  const now = new Date(environment.clock.now());
  const table = negotiated.as === "Table";
  const include = table ? includeObjectOf(state.query) : "Metadata";
  const metadata = listMetadata(result, definition);
  const head = table
    ? tableHead(asApiVersion, metadata, columnDefinitions(definition))
    : `{"kind":"PartialObjectMetadataList","apiVersion":${JSON.stringify(asApiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`;
  const rowOf = (entry: CacheEntry): string => {
    const object = JSON.parse(entry.json.toString()) as ApiObject;
    return table
      ? tableRow(definition, object, now, include, asApiVersion)
      : JSON.stringify(partialMetadata(object, asApiVersion));
  };
  const { entries } = result;
  if (negotiated.encoding === "yaml" || wantsPretty(state)) {
    sendValue(state, 200, JSON.parse(`${head}${entries.map(rowOf).join(",")}]}`), negotiated);
    return;
  }
  const writer = new ChunkWriter(state, (known) =>
    openBody(state, 200, baseHeaders(state, negotiated.contentType), known),
  );
  await writer.add(Buffer.from(head), 0);
  for (const [index, entry] of entries.entries()) {
    await writer.add(Buffer.from(index === 0 ? rowOf(entry) : `,${rowOf(entry)}`), 0);
    if (index % decodeBatch === decodeBatch - 1) await nextTurn();
  }
  await writer.add(Buffer.from("]}\n"), 0);
  writer.end();
}
