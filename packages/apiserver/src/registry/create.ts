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
import type { ResourceCore, WriteRequest } from "./resource-core.ts";

const maxNameAttempts = 8;

async function validate(core: ResourceCore, object: ApiObject, context: StrategyContext, big: boolean): Promise<void> {
  const { strategy } = core.definition;
  const rules = {
    namespaced: core.namespaced,
    nameFormat: strategy.nameFormat,
    standardFinalizers: capabilitiesOf(core.definition).standardFinalizers,
  };
  const faults = withErrorLimit(() => validateObjectMeta(object.metadata, rules));
  if (big) await core.environment.loop.nextTurn();
  const errors = [...faults, ...withErrorLimit(() => strategy.validate?.(object, context) ?? [])];
  if (errors.length > 0) throw invalid(core.kind, object.metadata.name ?? "", errors);
}

/**
 * Creates an object: defaults → mutating admission → identity → the resource's hooks → strategy → validation → validating
 * admission → commit.
 *
 * @param draft decoded, namespace set; owned by this call from here on
 * @throws ApiError AlreadyExists, Invalid, or what admission says
 */
export async function createObject(
  core: ResourceCore,
  draft: Draft<ApiObject>,
  request: WriteRequest,
): Promise<StoredObject> {
  const { definition, environment } = core;
  const { bytes = 0 } = request;
  if (isBig(bytes)) await core.environment.loop.nextTurn();
  definition.applyDefaults?.(draft);
  checkExtent(draft, bytes);
  if (isBig(bytes)) await core.environment.loop.nextTurn();
  core.fields.record(undefined, draft, request);
  if (isBig(bytes)) await core.environment.loop.nextTurn();
  const namespace = core.namespaced ? (draft.metadata.namespace ?? "") : "";
  const target = { namespace, name: draft.metadata.name ?? "" };
  const attributes = core.admissionAttributes("CREATE", request, target, draft, undefined);
  const context = core.admissionContext(request);
  const admitted = request.admission ? environment.admission.admit(attributes, context) : undefined;
  if (admitted !== undefined) await admitted;
  mergeOwnerReferences(draft, request.warn, "afterAdmission");
  const { metadata } = draft;
  if (metadata.resourceVersion) throw badRequest("resourceVersion should not be set on objects to be created");
  metadata.deletionTimestamp = undefined;
  metadata.deletionGracePeriodSeconds = undefined;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = core.timestamp(request.now);
  const begun = core.hooked ? await core.beginCreate(draft, request) : undefined;
  try {
    const stored = await storeNew(core, draft, { request, attributes, context, begun });
    if (!request.dryRun) await begun?.stored();
    return stored;
  } finally {
    await begun?.abandoned();
  }
}

interface NewObject {
  readonly request: WriteRequest;
  readonly attributes: ReturnType<ResourceCore["admissionAttributes"]>;
  readonly context: AdmissionContext;
  readonly begun: BegunWrite | undefined;
}

/** Strategy → validation → validating admission → commit; with other names as long as generated ones are taken. */
async function storeNew(core: ResourceCore, draft: Draft<ApiObject>, write: NewObject): Promise<StoredObject> {
  const { definition, storage, environment } = core;
  const { strategy } = definition;
  const { request, attributes, context, begun } = write;
  const { metadata } = draft;
  const { namespace } = attributes;
  const { bytes = 0 } = request;
  const base = metadata.name ? "" : (metadata.generateName ?? "");
  const strategyContext = core.strategyContext(request);
  strategy.prepareForCreate?.(draft, strategyContext);
  core.dropDisabledFields(draft, undefined);
  if (strategy.generation !== undefined) metadata.generation = 1;

  for (let attempt = 1; ; attempt++) {
    if (base !== "") metadata.name = generateName(base);
    if (isBig(bytes)) await core.environment.loop.nextTurn();
    await validate(core, draft as ApiObject, strategyContext, isBig(bytes));
    if (attempt === 1)
      for (const warning of strategy.warnings?.(draft as ApiObject, undefined) ?? []) request.warn(warning);
    const ref = { namespace, name: metadata.name ?? "" };
    if (request.admission) {
      // Named by now, if it was not before.
      const named = ref.name === attributes.name ? attributes : { ...attributes, name: ref.name };
      const asked = environment.admission.validate(named as AdmissionAttributes, context);
      if (asked !== undefined) await asked;
    }
    if (isBig(bytes)) await core.environment.loop.nextTurn();
    const encoded = storage.encode(core.toStored(draft as ApiObject));
    if (isBig(bytes)) await core.environment.loop.nextTurn();
    if (request.dryRun) {
      if ((await storage.known(ref, request.signal)) !== undefined) throw alreadyExists(core.resource, ref.name);
      return core.view(new StoredObject(encoded.value, storage.cache.revision, encoded.object));
    }
    const write = () => storage.write(ref, encoded, undefined);
    const result = await (begun?.commit(write) ?? write());
    if (result.type === "written") return core.view(result.stored);
    if (base === "") throw alreadyExists(core.resource, ref.name);
    if (attempt >= maxNameAttempts) throw generateNameConflict(core.resource, ref.name, 1);
  }
}
