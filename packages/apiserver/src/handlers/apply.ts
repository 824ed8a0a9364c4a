import {
  type ApiObject,
  badRequest,
  conflict,
  DecodeError,
  type Draft,
  type FieldError,
  field,
  invalid,
  type JsonObject,
  type ParsedDocument,
  parseJson,
} from "@orchernetes/apimachinery";
import { atOnce, inTurns } from "@orchernetes/kernel";
import { readBody } from "../http/body.ts";
import type { Query } from "../interfaces/index.ts";
import { isBig } from "../registry/big-write.ts";
import type { StoredObject } from "../registry/object-storage.ts";
import type { WriteRequest } from "../registry/served-version.ts";
import { updateObject } from "../registry/update.ts";
import { yamlCaller } from "../yaml/yaml-thread.ts";
import { decodeValue, expectedKindOf } from "./decode-object.ts";
import { checkMayCreate, negotiatedFor, type ResourceRequest, writeRequestOf } from "./endpoint.ts";
import { sendObject } from "./send-object.ts";
import { checkName, strategyOf } from "./update.ts";
import type { FieldValidation, WriteQuery } from "./write-options.ts";

/** Media type of server-side apply. The body is YAML, and therefore may be JSON. */
export const applyPatchType = "application/apply-patch+yaml";

/**
 * Attempts after conflicts with other writers, then 409: each starts from the newest object, so a merge normally
 * succeeds the second time.
 */
const conflictRetries = 5;

/** The texts that Go's `strconv.ParseBool` takes as true. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ["1", true],
  ["t", true],
  ["T", true],
  ["true", true],
  ["TRUE", true],
  ["True", true],
]);

/**
 * Whether a patch takes fields from other managers that own them (`?force`).
 *
 * @param applies whether this is an apply; other patches must not have `force`
 * @throws ApiError Invalid when an apply names no manager, or another patch has `force`
 */
export function parseForce(query: Query, applies: boolean): boolean {
  const force = query.get("force");
  const errors: FieldError[] = [];
  if (applies && !query.get("fieldManager")) {
    errors.push(field.required("fieldManager", "is required for apply patch"));
  }
  if (!applies && force !== null) errors.push(field.forbidden("force", "may not be specified for non-apply patch"));
  if (errors.length > 0) throw invalid({ group: "meta.o8s.io", kind: "PatchOptions" }, "", errors);
  return force === "" || truths.has(force ?? "false");
}

/**
 * Reads the configuration that a request applies. The result is not decoded by the schema: which fields the client
 * names is the point of an apply, and decoding would drop unknown ones before they are checked. @throws ApiError
 * BadRequest, RequestEntityTooLarge
 */
export async function readConfiguration(
  { state, environment }: ResourceRequest,
  validation: FieldValidation,
): Promise<unknown> {
  const bytes = await readBody(state.req, environment.limits.maxBodyBytes);
  state.requestBytes = bytes.length;
  const duplicates = validation !== "Ignore";
  let parsed: ParsedDocument;
  try {
    parsed =
      bytes[0] === 0x7b
        ? parseJson(bytes, { duplicates })
        : await environment.yaml.read(bytes, duplicates, yamlCaller(state));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`error decoding YAML: ${error.message}`, { cause: error });
  }
  const problems = parsed.duplicateFields.map((path) => `duplicate field ${JSON.stringify(path)}`);
  if (problems.length > 0 && validation === "Strict") {
    throw badRequest(`error strict decoding YAML: ${problems.join(", ")}`);
  }
  for (const problem of problems) state.warn(problem);
  if (isBig(bytes.length)) await environment.loop.nextTurn();
  state.audit?.requestPatch(parsed.value);
  return parsed.value;
}

/** The write of an apply: its objects have their managed fields already. */
function applyRequestOf(request: ResourceRequest, query: WriteQuery): WriteRequest {
  return writeRequestOf(request, query, { ownership: "recorded" });
}

/**
 * PATCH of an object or of its status by server-side apply (KEP-555). Creates the object if there is none, like a PUT
 * that is allowed to.
 */
export async function handleApply(request: ResourceRequest, query: WriteQuery): Promise<void> {
  const { state, served, environment, ref, subresource } = request;
  const { definition } = served;
  const negotiated = negotiatedFor(request);
  const force = parseForce(state.query, true);
  const configuration = await readConfiguration(request, query.fieldValidation);
  const write = applyRequestOf(request, query);
  const outcome = await updateObject(
    served,
    {
      ref,
      strategy: strategyOf(request),
      allowCreate: subresource === undefined,
      mayCreate: () => checkMayCreate(request),
      retries: conflictRetries,
      produce: (current) => appliedObject(request, write, current, configuration, force),
    },
    write,
  );
  await sendObject(state, definition, outcome.created ? 201 : 200, outcome.stored, negotiated, environment.clock.now());
}

/** The uid that a configuration names, which makes it a precondition. */
function uidOf(configuration: unknown): string | undefined {
  const uid = (configuration as { metadata?: { uid?: unknown } | null } | null | undefined)?.metadata?.uid;
  return typeof uid === "string" ? uid : undefined;
}

/**
 * Merges the configuration into the live object, and decodes the result. In turns of the event loop if the object is
 * large.
 */
async function appliedObject(
  { state, served, environment, ref }: ResourceRequest,
  write: WriteRequest,
  current: StoredObject | undefined,
  configuration: unknown,
  force: boolean,
): Promise<Draft<ApiObject>> {
  const { definition } = served;
  const uid = uidOf(configuration);
  if (current === undefined && uid !== undefined && uid !== "") {
    const detail = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(served.resource, ref.name, detail);
  }
  const live = current?.object as unknown as JsonObject | undefined;
  const big = isBig(Math.max(state.requestBytes, current?.json.length ?? 0));
  const { object, managedFields } = await served.fields.tracking(write, (tracker) => {
    const steps = tracker.applying(live, configuration, served.fields.writer(write), force);
    return big ? inTurns(environment.loop, steps) : atOnce(steps);
  });
  if (big) await environment.loop.nextTurn();
  const expected = expectedKindOf(definition);
  const draft = decodeValue(object, [], expected, "Ignore", write.warn);
  if (big) await environment.loop.nextTurn();
  draft.metadata.managedFields = managedFields as Draft<ApiObject>["metadata"]["managedFields"];
  checkName(draft, ref.name, ref.namespace);
  const version = draft.metadata.resourceVersion ?? "";
  if (current === undefined && version !== "" && version !== "0") throw conflict(served.resource, ref.name);
  definition.applyDefaults?.(draft);
  return draft;
}
