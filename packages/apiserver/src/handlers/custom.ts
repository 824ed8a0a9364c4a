import type { Duplex } from "node:stream";
import { type ApiObject, apiVersionOf, type ListOf, type MessageSchema, Status } from "@orchernetes/apimachinery";
import { assertNever } from "@orchernetes/kernel";
import type { Negotiated } from "../http/negotiate.ts";
import { sendBytes } from "../http/respond.ts";
import { setNamespace } from "./create.ts";
import { CustomContext, type CustomRequest, CustomUpgradeContext } from "./custom-context.ts";
import { decodeObject, type ExpectedKind, expectedKindOf } from "./decode-object.ts";
import { readObjectBody } from "./endpoint.ts";
import { sendList } from "./send-list.ts";
import { sendObject, sendValue } from "./send-object.ts";
import { parseWriteQuery, type WriteQuery } from "./write-options.ts";

/**
 * Negotiates the form of the response. Kinds without columns and responses of subresources are not available as tables.
 *
 * @throws ApiError NotAcceptable
 */
function negotiatedFor({ state, environment, definition, subresource }: CustomRequest): Negotiated {
  const { accept } = state.req.headers;
  const hasTable = subresource === undefined && definition.columns.length > 0;
  return hasTable ? environment.negotiator.negotiate(accept) : environment.negotiator.negotiateObject(accept);
}

/** The kind that a body must have; undefined if the subresource has no schema. */
function expectedKind({ definition, subresource }: CustomRequest): ExpectedKind | undefined {
  if (subresource === undefined) return expectedKindOf(definition);
  const schema: MessageSchema | undefined = subresource.schema;
  const { kind, alsoAccepts } = subresource;
  return schema === undefined
    ? undefined
    : { kind, apiVersion: apiVersionOf(subresource), schema, ...(alsoAccepts && { alsoAccepts }) };
}

/** The schema of what a handler answers: the kind of its path, or a Status. */
function schemaOf(request: CustomRequest, { kind }: ApiObject): MessageSchema | undefined {
  if (kind === "Status") return Status;
  const expected = expectedKind(request);
  return expected?.kind === kind ? expected?.schema : undefined;
}

/**
 * The decoded body of a create or update; undefined if the handler reads it itself, or if there is none. @throws
 * ApiError BadRequest
 */
async function bodyOf(
  request: CustomRequest,
  query: WriteQuery,
  onUpstreamSpelling: (apiVersion: string) => void,
): Promise<ApiObject | undefined> {
  const { state, environment, handler, definition } = request;
  const { method } = state.req;
  const kind = expectedKind(request);
  const expected = kind && { ...kind, onUpstreamSpelling };
  if (handler.rawBody === true || expected === undefined || (method !== "POST" && method !== "PUT")) return undefined;
  const raw = await readObjectBody(state, environment);
  if (raw.bytes.length === 0 && request.subresource !== undefined) return undefined;
  const draft = decodeObject(raw, expected, query.fieldValidation, state.warn);
  state.audit?.requestObject(draft);
  if (draft.metadata !== undefined) {
    setNamespace(draft, definition.scope === "Namespaced" ? state.info.namespace : "");
    if (request.subresource === undefined) definition.applyDefaults?.(draft);
  }
  return draft as ApiObject;
}

const defaultQuery: WriteQuery = { dryRun: false, fieldManager: "", fieldValidation: "Ignore", options: {} };

/** Verbs with write options in their query. */
const writing: ReadonlySet<string> = new Set(["create", "update", "patch"]);

/** The write options of a request; the defaults for other verbs. */
function queryOf({ state }: CustomRequest): WriteQuery {
  const kind =
    state.info.verb === "update" ? "UpdateOptions" : state.info.verb === "patch" ? "PatchOptions" : "CreateOptions";
  return writing.has(state.info.verb) ? parseWriteQuery(kind, state.query) : defaultQuery;
}

/**
 * Serves a subresource or kind through its handler, and encodes the result. The handler runs admission itself, with
 * `context.admit`: only it knows when the object of the operation is complete.
 */
export async function handleCustom(request: CustomRequest): Promise<void> {
  const { state, environment, handler, definition } = request;
  const query = queryOf(request);
  // Streams have their own format. For everything else a bad Accept header is rejected before the request has an
  // effect.
  const streams = handler.longRunning !== undefined || handler.rawBody === true;
  const early = streams ? undefined : negotiatedFor(request);
  let spelling: string | undefined;
  const body = await bodyOf(request, query, (apiVersion) => {
    spelling = apiVersion;
  });
  const result = await handler.handle(new CustomContext(request, body, query));
  switch (result.type) {
    case "object": {
      const negotiated = early ?? negotiatedFor(request);
      const code = result.status ?? (state.info.verb === "create" ? 201 : 200);
      const answer = result.object as ApiObject;
      // The response uses the spelling of the request: a stock client knows only its own.
      const object =
        spelling === undefined || answer.kind !== body?.kind ? answer : { ...answer, apiVersion: spelling };
      const now = environment.clock.now();
      if (object.kind === (definition.listKind ?? `${definition.kind}List`)) {
        await sendList(state, definition, code, object as unknown as ListOf<ApiObject>, negotiated, now);
      } else if (negotiated.as !== undefined && object.kind === definition.kind) {
        const json = Buffer.from(JSON.stringify(object));
        await sendObject(state, definition, code, { json, object }, negotiated, now);
      } else {
        await sendValue(state, code, object, negotiated, schemaOf(request, object));
      }
      return;
    }
    case "bytes":
      sendBytes(state, result.status ?? 200, result.contentType, result.body);
      return;
    case "streamed":
      state.code = state.res.statusCode;
      return;
    default:
      return assertNever(result);
  }
}

/** Serves an HTTP/1.1 upgrade through the handler. */
export async function upgradeCustom(request: CustomRequest, socket: Duplex, head: Buffer): Promise<void> {
  await request.handler.upgrade?.(new CustomUpgradeContext(request, defaultQuery, socket, head));
}
