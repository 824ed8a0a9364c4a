import type { ApiObject, Draft, ResourceDefinition } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { AuditLevel } from "./audit-level.ts";
import type { Registry } from "./registry.ts";

/** The operation on an object that admission decides on. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** When webhooks are called: those that change the object before its validation, the others after it. */
export type WebhookPhase = "mutating" | "validating";

/** A group, version and resource name. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A group, version and kind. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One write as validating plugins see it. `object` and `oldObject` are shared: never change them. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly user: UserInfo;
  readonly resource: GroupVersionResource;
  /** Kind of `object`: for subresources such as scale or binding that of the subresource. */
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  readonly namespace: string;
  /**
   * "" for creates that leave naming to the server, and for deletions of collections: see `oldObject` for whose they
   * are.
   */
  readonly name: string;
  /** The object to be written, in the version of the request; for CONNECT the options; undefined for DELETE. */
  readonly object: ApiObject | undefined;
  /** The object as stored; undefined for CREATE, and for DELETE of a collection's empty result. */
  readonly oldObject: ApiObject | undefined;
  /** The definition of `resource`; undefined for kinds without one. */
  readonly definition: ResourceDefinition | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions of the request, as the operation is; `{}` for CONNECT. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
}

/**
 * One write as mutating plugins see it: they may change `object` in place, but not its identity (name, namespace, uid).
 */
export interface MutatingAttributes extends Omit<AdmissionAttributes, "object"> {
  readonly object: Draft<ApiObject> | undefined;
}

/** What plugins may use besides the attributes. */
export interface AdmissionContext {
  readonly registry: Registry;
  readonly now: Date;
  /** Aborted when the client went away or the request timed out. */
  readonly signal: AbortSignal;
  /** When the time of the write is over, in milliseconds since 1970. @default no limit */
  readonly deadlineMs?: number | undefined;
  /** Notes the time that a webhook took, in milliseconds: it is no part of the time that the server itself needs. */
  readonly addWebhookTime?: ((phase: WebhookPhase, elapsedMs: number) => void) | undefined;
  /** Adds a `Warning` header to the response. */
  readonly warn: (message: string) => void;
  /** Adds an audit annotation, key `plugin.domain/name`; events below `level` do not get it. @default "Metadata" */
  readonly annotate: (key: string, value: string, level?: AuditLevel) => void;
}

/** What mutating admission returns; see {@link AdmissionPlugin.admit}. */
// biome-ignore lint/suspicious/noConfusingVoidType: most plugins return nothing.
export type AdmissionOutcome = void | "again";

/**
 * A plugin that takes part in writes (docs: "Admission Controllers"). Order: all `admit` in list order, once more if
 * one of them returns "again", then the strategy's validation, then all `validate` in list order.
 *
 * A plugin rejects a write by throwing an ApiError, usually `forbidden(resource, name, reason)`. Any other error
 * becomes a 500. On UPDATE with concurrent writers both phases may run again with a newer `oldObject`, and a write may
 * fail after both: effects must be repeatable.
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whether the plugin takes part in an operation. Asked once per operation, when the server is built. */
  handles(operation: AdmissionOperation): boolean;
  /**
   * Mutates `attributes.object`. Returns "again" if it changed the object in a way that earlier plugins have to see:
   * all of them then run once more, with the same context.
   */
  admit?(attributes: MutatingAttributes, context: AdmissionContext): AdmissionOutcome | Promise<AdmissionOutcome>;
  /** Judges the final object, and must not change it. */
  validate?(attributes: AdmissionAttributes, context: AdmissionContext): void | Promise<void>;
}
