import {
  ApiError,
  type ApiObject,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  badRequest,
  capabilitiesOf,
  DecodeError,
  type Draft,
  failure,
  field,
  type JsonObject,
  type MessageSchema,
  parseJson,
  parseJsonText,
  type ResourceDefinition,
  unsupportedMediaType,
} from "@orchernetes/apimachinery";
import { atOnce, inTurns } from "@orchernetes/kernel";
import { readBody } from "../http/body.ts";
import { parseMediaType } from "../http/media-type.ts";
import { isBig } from "../registry/big-write.ts";
import { updateObject } from "../registry/update.ts";
import { applyPatchType, handleApply, parseForce } from "./apply.ts";
import { decodeValue, type ExpectedKind, expectedKindOf } from "./decode-object.ts";
import { negotiatedFor, type ResourceRequest, writeRequestOf } from "./endpoint.ts";
import { sendObject } from "./send-object.ts";
import { checkName, strategyOf } from "./update.ts";
import { type FieldValidation, parseWriteQuery, type WriteQuery } from "./write-options.ts";

const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
const strategicPatch = "application/strategic-merge-patch+json";
const patchTypes = [jsonPatch, mergePatch, strategicPatch, applyPatchType];

/**
 * The patch types of a resource. Strategic merge patches need merge keys, which schemas of custom resources do not
 * have.
 */
function patchTypesOf(definition: ResourceDefinition): readonly string[] {
  return capabilitiesOf(definition).strategicMergePatch
    ? patchTypes
    : patchTypes.filter((type) => type !== strategicPatch);
}

/** Attempts after conflicts with other writers, then 409 (upstream: `MaxRetryWhenPatchConflicts`). */
const conflictRetries = 5;

/**
 * A parsed patch document, ready to be applied to any version of an object: it is read once and applied in each
 * attempt.
 */
export interface Patch {
  readonly type: string;
  readonly document: unknown;
  readonly duplicateFields: readonly string[];
}

/** Whether a request is a server-side apply. */
export function isApply({ state }: ResourceRequest): boolean {
  return parseMediaType(state.req.headers["content-type"] ?? "")?.type === applyPatchType;
}

/**
 * Reads a patch other than an apply.
 *
 * @throws ApiError UnsupportedMediaType, BadRequest, RequestEntityTooLarge
 */
export async function readPatch({ state, served, environment }: ResourceRequest, query: WriteQuery): Promise<Patch> {
  const type = parseMediaType(state.req.headers["content-type"] ?? "")?.type ?? "";
  const accepted = patchTypesOf(served.definition);
  if (!accepted.includes(type)) {
    state.req.resume();
    throw unsupportedMediaType(accepted);
  }
  parseForce(state.query, false);
  const bytes = await readBody(state.req, environment.limits.maxBodyBytes);
  state.requestBytes = bytes.length;
  const duplicates = query.fieldValidation !== "Ignore" && type !== jsonPatch;
  try {
    const parsed = parseJson(bytes, { duplicates });
    if (isBig(bytes.length)) await environment.loop.nextTurn();
    state.audit?.requestPatch(parsed.value);
    return { type, document: parsed.value, duplicateFields: parsed.duplicateFields };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`error decoding patch: ${error.message}`, { cause: error });
  }
}

/**
 * Applies a patch of any type. @throws ApiError Invalid when the result is not an object, or what the patch algorithm
 * throws
 */
function applyPatch(patch: Patch, schema: MessageSchema, document: JsonObject): Readonly<Record<string, unknown>> {
  const patched =
    patch.type === jsonPatch
      ? applyJsonPatch(document, patch.document)
      : patch.type === mergePatch
        ? applyMergePatch(document, patch.document)
        : applyStrategicMergePatch(schema, document, patch.document);
  if (typeof patched !== "object" || patched === null || Array.isArray(patched)) {
    throw unprocessable("the patched document is not an object");
  }
  return patched as Readonly<Record<string, unknown>>;
}

/** 422 for a patch whose result is not an object of the kind. */
function unprocessable(detail: string, cause?: unknown): ApiError {
  const error = field.invalid("patch", "", detail);
  const message = `Invalid value: ${detail}`;
  return new ApiError(
    failure("Invalid", ` "" is invalid: patch: ${message}`, {
      causes: [{ reason: error.type, message, field: "patch" }],
    }),
    { cause },
  );
}

/** @throws ApiError Invalid when the patch changed kind or apiVersion */
function checkPatchedKind(value: Readonly<Record<string, unknown>>, expected: ExpectedKind): void {
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown };
  if (kind !== expected.kind || apiVersion !== expected.apiVersion) {
    throw unprocessable(
      `a patch cannot turn ${expected.kind} of ${expected.apiVersion} into ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}`,
    );
  }
}

/**
 * Applies a patch to an object and decodes the result, in steps: the caller runs them in one go, or in several turns of
 * the event loop if the object is large.
 *
 * @throws ApiError Invalid, BadRequest
 */
export function* patchedObject(
  patch: Patch,
  expected: ExpectedKind,
  document: JsonObject,
  validation: FieldValidation,
  warn: (message: string) => void,
): Generator<undefined, Draft<ApiObject>> {
  yield;
  const patched = applyPatch(patch, expected.schema, document);
  checkPatchedKind(patched, expected);
  yield;
  return decodeValue(patched, patch.duplicateFields, { ...expected, refuse: unprocessable }, validation, warn);
}

/**
 * PATCH of an object or of its status: JSON patch (RFC 6902), merge patch (RFC 7386), strategic merge patch, or apply.
 *
 * The patch is applied to the object as it is in the version of the request, in each attempt again. A conflict
 * therefore leads to a retry, unless the patch itself names a resourceVersion.
 *
 * @throws ApiError NotFound, Conflict, Invalid, BadRequest, UnsupportedMediaType, or what admission throws
 */
export async function handlePatch(request: ResourceRequest): Promise<void> {
  const { state, served, environment, ref } = request;
  const { definition } = served;
  const negotiated = negotiatedFor(request);
  const query = parseWriteQuery("PatchOptions", state.query);
  if (isApply(request)) return handleApply(request, query);
  const patch = await readPatch(request, query);
  const expected = expectedKindOf(definition);
  let warnings: string[] = [];
  const outcome = await updateObject(
    served,
    {
      ref,
      strategy: strategyOf(request),
      allowCreate: false,
      retries: conflictRetries,
      produce: async (current) => {
        if (current === undefined) return false;
        warnings = [];
        const big = isBig(Math.max(state.requestBytes, current.json.length));
        const document = parseJsonText(current.json.toString()) as JsonObject;
        const warn = (text: string): void => void warnings.push(text);
        const steps = patchedObject(patch, expected, document, query.fieldValidation, warn);
        const draft = big ? await inTurns(environment.loop, steps) : atOnce(steps);
        if (big) await environment.loop.nextTurn();
        checkName(draft, ref.name, ref.namespace);
        definition.applyDefaults?.(draft);
        return draft;
      },
    },
    writeRequestOf(request, query),
  );
  // Attempts may repeat; only the warnings of the last one concern what was stored.
  for (const text of warnings) state.warn(text);
  await sendObject(state, definition, 200, outcome.stored, negotiated, environment.clock.now());
}
