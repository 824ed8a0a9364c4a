import { randomUUID } from "node:crypto";
import {
  type ApiObject,
  alreadyExists,
  badRequest,
  capabilitiesOf,
  type Draft,
  generateName,
  generateNameConflict,
  invalid,
  type StrategyContext,
  validateObjectMeta,
  withErrorLimit,
} from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext } from "../interfaces/index.ts";
import type { BegunWrite } from "./begun-write.ts";
import { checkExtent, isBig } from "./big-write.ts";
import { StoredObject } from "./object-storage.ts";
import { mergeOwnerReferences } from "./owner-references.ts";
import type { ServedVersion, WriteRequest } from "./served-version.ts";

/**
 * Attempts with other generated names before 409: the suffix has five characters of 27, so that even with a million
 * names of one prefix a collision has a probability of about 7 %, and eight in a row one of 10⁻⁹ (KEP-4420).
 */
const maxNameAttempts = 8;

/**
 * Validates metadata by the rules of all kinds, then the object by those of its kind. All errors are reported together.
 *
 * @throws ApiError Invalid
 */
async function validate(
  served: ServedVersion,
  object: ApiObject,
  context: StrategyContext,
  request: WriteRequest,
): Promise<void> {
  const { strategy } = served.definition;
  const rules = {
    namespaced: served.namespaced,
    nameFormat: strategy.nameFormat,
    standardFinalizers: capabilitiesOf(served.definition).standardFinalizers,
  };
  const metaErrors = withErrorLimit(() => validateObjectMeta(object.metadata, rules));
  if (isBig(request.bytes ?? 0)) await served.environment.loop.nextTurn();
  const own = withErrorLimit(() => strategy.validate?.(object, context) ?? []);
  const long =
    strategy.validateLong === undefined ? [] : await served.validateLong(strategy, object, undefined, own, request);
  const errors = [...metaErrors, ...own, ...long];
  if (errors.length > 0) throw invalid(served.kind, object.metadata.name ?? "", errors);
}

/**
 * Creates an object. The order is that of upstream's `rest.BeforeCreate` and `Store.Create`:
 *
 * 1. defaults, so that admission sees what will be stored;
 * 2. managed fields, before admission, whose changes belong to no manager;
 * 3. mutating admission;
 * 4. identity: uid and creationTimestamp are always the server's;
 * 5. the resource's hooks, which reserve addresses and ports;
 * 6. strategy, validation, validating admission and commit, again for each generated name.
 *
 * Large objects yield to the event loop between the steps.
 *
 * @param draft decoded, namespace set; owned by this call from here on
 * @throws ApiError AlreadyExists, Invalid, BadRequest, RequestEntityTooLarge, or what admission throws
 */
export async function createObject(
  served: ServedVersion,
  draft: Draft<ApiObject>,
  request: WriteRequest,
): Promise<StoredObject> {
  const { definition, environment } = served;
  const { bytes = 0 } = request;
  if (isBig(bytes)) await served.environment.loop.nextTurn();
  definition.applyDefaults?.(draft);
  checkExtent(draft, bytes);
  if (isBig(bytes)) await served.environment.loop.nextTurn();
  const recorded = served.fields.record(undefined, draft, request);
  if (recorded !== undefined) await recorded;
  if (isBig(bytes)) await served.environment.loop.nextTurn();
  const namespace = served.namespaced ? (draft.metadata.namespace ?? "") : "";
  const target = { namespace, name: draft.metadata.name ?? "" };
  const attributes = served.admissionAttributes("CREATE", request, target, draft, undefined);
  const context = served.admissionContext(request);
  const admitted = request.admission ? environment.admission.admit(attributes, context) : undefined;
  if (admitted !== undefined) await admitted;
  keepNamespace(draft, namespace);
  mergeOwnerReferences(draft, request.warn, "afterAdmission");
  const { metadata } = draft;
  if (metadata.resourceVersion) throw badRequest("resourceVersion should not be set on objects to be created");
  metadata.deletionTimestamp = undefined;
  metadata.deletionGracePeriodSeconds = undefined;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = served.timestamp(request.now);
  const begun = served.hooked ? await served.beginCreate(draft, request) : undefined;
  try {
    const stored = await storeNew(served, draft, { request, attributes, context, begun });
    if (!request.dryRun) await begun?.stored();
    return stored;
  } finally {
    await begun?.abandoned();
  }
}

/**
 * Checks that admission did not move the object to another namespace: authorization was for this one. @throws ApiError
 * BadRequest
 */
function keepNamespace({ metadata }: Draft<ApiObject>, namespace: string): void {
  const found = metadata.namespace ?? "";
  if (found === namespace) return;
  if (found !== "" && namespace !== "")
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  metadata.namespace = namespace === "" ? undefined : namespace;
}

/** The parts of a create that stay the same for every attempt with another generated name. */
interface NewObject {
  readonly request: WriteRequest;
  readonly attributes: ReturnType<ServedVersion["admissionAttributes"]>;
  readonly context: AdmissionContext;
  readonly begun: BegunWrite | undefined;
}

/**
 * Strategy → validation → validating admission → commit. The commit expects that the key does not exist; that is the
 * only check for duplicates, so that two creates of the same name cannot both succeed. With `generateName`, a taken
 * name leads to another attempt.
 *
 * @throws ApiError AlreadyExists, also for the last generated name
 */
async function storeNew(served: ServedVersion, draft: Draft<ApiObject>, write: NewObject): Promise<StoredObject> {
  const { definition, storage, environment } = served;
  const { strategy } = definition;
  const { request, attributes, context, begun } = write;
  const { metadata } = draft;
  const { namespace } = attributes;
  const { bytes = 0 } = request;
  const base = metadata.name ? "" : (metadata.generateName ?? "");
  const strategyContext = served.strategyContext(request);
  strategy.prepareForCreate?.(draft, strategyContext);
  served.dropDisabledFields(draft, undefined);
  if (strategy.generation !== undefined) metadata.generation = 1;

  for (let attempt = 1; ; attempt++) {
    if (base !== "") metadata.name = generateName(base);
    if (isBig(bytes)) await served.environment.loop.nextTurn();
    await validate(served, draft as ApiObject, strategyContext, request);
    if (attempt === 1)
      for (const warning of strategy.warnings?.(draft as ApiObject, undefined) ?? []) request.warn(warning);
    const ref = { namespace, name: metadata.name ?? "" };
    if (request.admission) {
      // Validating plugins see the generated name, which mutating plugins could not know.
      const named = ref.name === attributes.name ? attributes : { ...attributes, name: ref.name };
      const asked = environment.admission.validate(named as AdmissionAttributes, context);
      if (asked !== undefined) await asked;
    }
    if (isBig(bytes)) await served.environment.loop.nextTurn();
    const encoded = storage.encode(await served.form.toStored(draft as ApiObject, request));
    if (isBig(bytes)) await served.environment.loop.nextTurn();
    if (request.dryRun) {
      if ((await storage.known(ref, request.signal)) !== undefined) throw alreadyExists(served.resource, ref.name);
      await request.guard?.check(storage, false, request.signal);
      return served.view(new StoredObject(encoded.value, storage.cache.revision, encoded.object), request);
    }
    const write = () => served.write(ref, encoded, undefined, request);
    const result = await (begun?.commit(write) ?? write());
    if (result.type === "written") return served.view(result.stored, request);
    if (base === "") throw alreadyExists(served.resource, ref.name);
    if (attempt >= maxNameAttempts) throw generateNameConflict(served.resource, ref.name, 1);
  }
}
