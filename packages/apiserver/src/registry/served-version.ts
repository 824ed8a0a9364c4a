import {
  type ApiObject,
  type Draft,
  type FieldError,
  type GroupKind,
  type GroupResource,
  type ResourceDefinition,
  type StrategyContext,
  timeoutError,
  type UpdateStrategy,
} from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { Clock, EventLoop, Logger, LongWork } from "@orchernetes/kernel";
import type { CacheEntry } from "@orchernetes/storage";
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionOperation,
  DisabledFields,
  GroupVersionKind,
  ObjectRef,
  Registry,
  WriteHooks,
} from "../interfaces/index.ts";
import type { AdmissionChain } from "./admission-chain.ts";
import { admissionOptions } from "./admission-options.ts";
import { BegunWrite } from "./begun-write.ts";
import { FieldOwnership } from "./field-ownership.ts";
import type { EncodedObject, ObjectStorage, StoredObject, WriteResult } from "./object-storage.ts";
import type { CreateReader, ResourceReader } from "./resource-reader.ts";
import { timestampWriter } from "./server-fields.ts";
import { type ConversionWork, VersionForm } from "./version-form.ts";
import { WriteContext } from "./write-context.ts";
import type { WriteGuard } from "./write-guard.ts";

/** What all resources of a server share. */
export interface RegistryEnvironment {
  readonly clock: Clock;
  readonly loop: EventLoop;
  /** Work of requests that may take long. */
  readonly longWork: LongWork;
  readonly logger: Logger;
  readonly admission: AdmissionChain;
  readonly registry: Registry;
  readonly featureEnabled: (gate: string) => boolean;
  /** Fields of a kind that belong to disabled feature gates; undefined if there are none. */
  readonly disabledFields: (definition: ResourceDefinition) => DisabledFields | undefined;
  readonly allowPrivileged: boolean;
  /** Compiler of CEL expressions, for strategies that validate them. */
  readonly expressions: StrategyContext["expressions"];
  readonly enableGarbageCollector: boolean;
  readonly writeHooks: readonly WriteHooks[];
  /** Aborted when the server ends; the signal of work that no request asked for. */
  readonly signal: AbortSignal;
}

/** The state of one write in the registry. */
export interface WriteRequest {
  readonly user: UserInfo;
  /** Whether admission plugins run. */
  readonly admission: boolean;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or PatchOptions as admission shows them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Time of the request. Every timestamp of a write is this one. */
  readonly now: Date;
  readonly signal: AbortSignal;
  /** When its time is over, in milliseconds since 1970. @default no limit */
  readonly deadlineMs?: number | undefined;
  readonly addWebhookTime?: AdmissionContext["addWebhookTime"];
  readonly warn: (message: string) => void;
  readonly annotate: AdmissionContext["annotate"];
  /** "" for the object itself. */
  readonly subresource: string;
  /** The manager that owns the fields that this write changes; "" when unknown. */
  readonly manager: string;
  /** `recorded`: the object has its managedFields already, as server-side apply computed them. */
  readonly ownership?: "recorded";
  /** Kind that admission sees, when it is not the resource's own. */
  readonly kind?: GroupVersionKind;
  /** Whether it is part of the deletion of a collection, for which admission gets no object name. @default false */
  readonly ofCollection?: boolean;
  /** Length of the request body in bytes; large writes yield to the event loop between their steps. @default 0 */
  readonly bytes?: number;
  /** A condition on another object, which holds at the commit. @default there is none */
  readonly guard?: WriteGuard | undefined;
}

/**
 * One served version of a resource over its storage: what a request path such as `apps/v1/deployments` refers to. It
 * combines the definition (rules), the storage (shared by versions) and the environment (shared by resources), and the
 * write functions (`createObject`, `updateObject`, `deleteObject`) take it as their first argument.
 */
export class ServedVersion {
  /** Formats a time as metav1.Time has it: RFC 3339 with whole seconds. */
  readonly timestamp = timestampWriter();
  readonly definition: ResourceDefinition;
  readonly storage: ObjectStorage;
  readonly environment: RegistryEnvironment;
  /** Where its objects are read from. */
  readonly reader: ResourceReader;
  readonly resource: GroupResource;
  readonly kind: GroupKind;
  readonly namespaced: boolean;
  readonly fields: FieldOwnership;
  /** How this version shows what is stored. */
  readonly form: VersionForm;
  readonly #hooks: WriteHooks | undefined;
  #disabledFields: DisabledFields | undefined;
  #disabledFieldsKnown = false;
  readonly #admissionResource: AdmissionAttributes["resource"];
  readonly #admissionKind: AdmissionAttributes["kind"];

  constructor(
    definition: ResourceDefinition,
    storage: ObjectStorage,
    environment: RegistryEnvironment,
    createReader: CreateReader,
  ) {
    this.definition = definition;
    this.storage = storage;
    this.environment = environment;
    this.form = new VersionForm(definition, storage, environment);
    this.reader = createReader(this);
    this.resource = { group: definition.group, plural: definition.plural };
    this.kind = { group: definition.group, kind: definition.kind };
    this.namespaced = definition.scope === "Namespaced";
    const { group, version, plural, kind } = definition;
    this.#admissionResource = Object.freeze({ group, version, resource: plural });
    this.#admissionKind = Object.freeze({ group, version, kind });
    this.fields = new FieldOwnership(this);
    this.#hooks = environment.writeHooks.find(
      (hooks) =>
        hooks.definition.group === group && hooks.definition.version === version && hooks.definition.plural === plural,
    );
  }

  /** Whether stored bytes are this version's own. */
  get direct(): boolean {
    return this.form.direct;
  }

  /** A stored object in this version's form; a promise only if a conversion webhook must be called. */
  view(stored: StoredObject, work?: ConversionWork): StoredObject | Promise<StoredObject> {
    return this.form.view(stored, work);
  }

  /** Cache entries with this version's bytes. */
  entries(entries: readonly CacheEntry[], work?: ConversionWork): Promise<readonly CacheEntry[]> {
    return this.form.entries(entries, work);
  }

  /**
   * Drops the fields of disabled features from a draft, unless the stored object uses them already: switching a gate
   * off must not lose data (API changes guide, "Alpha, beta and stable versions"). Which fields that are is determined
   * at the first write, as it visits all types.
   */
  dropDisabledFields(draft: Draft<ApiObject>, old: ApiObject | undefined): void {
    if (!this.#disabledFieldsKnown) {
      this.#disabledFields = this.environment.disabledFields(this.definition);
      this.#disabledFieldsKnown = true;
    }
    this.#disabledFields?.drop(draft, old);
  }

  /** What strategies may know of a request. */
  strategyContext(request: WriteRequest): StrategyContext {
    const { featureEnabled, allowPrivileged, expressions } = this.environment;
    return { now: request.now, user: request.user, featureEnabled, allowPrivileged, expressions };
  }

  /**
   * Validation that may take long.
   *
   * @param found the errors that were found before
   * @throws ApiError Timeout if the request has ended and nobody waits for the response
   */
  async validateLong(
    { validateLong }: UpdateStrategy<ApiObject>,
    object: ApiObject,
    old: ApiObject | undefined,
    found: readonly FieldError[],
    request: WriteRequest,
  ): Promise<readonly FieldError[]> {
    const steps = validateLong?.(object, old, found, this.strategyContext(request));
    if (steps === undefined) return [];
    const { signal } = request;
    const errors = this.environment.longWork.run(steps, signal);
    if (!(errors instanceof Promise)) return errors;
    const result = await errors;
    if (signal.aborted) throw timeoutError("request did not complete within requested timeout");
    return result;
  }

  /**
   * Begins a create in the resource's hooks, such as the allocation of a cluster IP; undefined if it has none.
   *
   * @throws ApiError to reject the write, with nothing reserved
   */
  async beginCreate(draft: Draft<ApiObject>, request: WriteRequest): Promise<BegunWrite | undefined> {
    const finish = await this.#hooks?.beginCreate(draft, request);
    return finish === undefined ? undefined : new BegunWrite(finish);
  }

  /** Like {@link beginCreate}, for an update of the stored object `old`. */
  async beginUpdate(draft: Draft<ApiObject>, old: ApiObject, request: WriteRequest): Promise<BegunWrite | undefined> {
    const finish = await this.#hooks?.beginUpdate(draft, old, request);
    return finish === undefined ? undefined : new BegunWrite(finish);
  }

  /** Whether writes of this resource have hooks. */
  get hooked(): boolean {
    return this.#hooks !== undefined;
  }

  /**
   * Stores an object in place of `current`; undefined: it is new.
   *
   * @throws ApiError that of the request's condition; StoreError
   */
  write(
    ref: ObjectRef,
    encoded: EncodedObject,
    current: StoredObject | undefined,
    request: WriteRequest,
  ): Promise<WriteResult> {
    const { storage } = this;
    const { guard } = request;
    if (guard === undefined) return storage.write(ref, encoded, current);
    return guard.commit(storage, current, (also) => storage.write(ref, encoded, current, also), request.signal);
  }

  /**
   * Removes the stored object, and then notifies the resource's hooks, which release what it had reserved. In this
   * order: nobody else may get an address while an object with it is stored.
   *
   * @throws ApiError that of the request's condition; StoreError
   */
  async remove(ref: ObjectRef, current: StoredObject, request: WriteRequest): Promise<WriteResult> {
    const { storage } = this;
    const { guard } = request;
    const result = await (guard === undefined
      ? storage.remove(ref, current)
      : guard.commit(storage, current, (also) => storage.remove(ref, current, also), request.signal));
    if (result.type === "written") await this.#hooks?.afterDelete((await this.view(current)).object);
    return result;
  }

  /** What admission plugins may use for a request. */
  admissionContext(request: WriteRequest): AdmissionContext {
    return new WriteContext(this.environment.registry, request);
  }

  /** What admission plugins see of a request. `object` is the draft itself: mutating plugins change it in place. */
  admissionAttributes(
    operation: AdmissionOperation,
    request: WriteRequest,
    target: { readonly namespace: string; readonly name: string },
    object: Draft<ApiObject> | undefined,
    oldObject: ApiObject | undefined,
  ): Omit<AdmissionAttributes, "object"> & { readonly object: Draft<ApiObject> | undefined } {
    return {
      operation,
      user: request.user,
      resource: this.#admissionResource,
      kind: request.kind ?? this.#admissionKind,
      subresource: request.subresource,
      namespace: target.namespace,
      name: target.name,
      object,
      oldObject,
      definition: this.definition,
      options: admissionOptions(operation, request.options),
      dryRun: request.dryRun,
    };
  }
}
