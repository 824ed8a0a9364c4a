import {
  type ApiObject,
  applyJsonPatch,
  decoderFor,
  goQuote,
  internalError,
  type JsonObject,
  type MessageSchema,
  parseJson,
} from "@orchernetes/apimachinery";
import type { GroupVersionKind } from "@orchernetes/apiserver";
import type { WebhookResponse } from "./admission-response.ts";
import { WebhookCallError } from "./webhook-error.ts";

/** The result of a patch. */
export interface Patched {
  readonly object: ApiObject;
  /** The operations of the patch, for the audit event. */
  readonly operations: readonly unknown[];
}

/** The object to patch. */
export interface PatchTarget {
  /** Name of the webhook. */
  readonly webhook: string;
  /** Undefined if the operation has no object. */
  readonly object: ApiObject | undefined;
  readonly kind: GroupVersionKind;
  /** Undefined if the server does not know the schema of the objects. */
  readonly schema: MessageSchema | undefined;
}

/**
 * Applies the patch of a response to the object and decodes the result by the schema of its kind; undefined if there is nothing to change.
 *
 * @throws ApiError InternalError for a patch that cannot be decoded or applied, or that changes the kind or the version;
 *   WebhookCallError for another type of patch
 */
export function patchedObject({ patch, patchType }: WebhookResponse, target: PatchTarget): Patched | undefined {
  if (patch === undefined || patch.length === 0) return undefined;
  const operations = internally(() => parseJson(patch).value);
  if (!Array.isArray(operations)) throw internalError(new Error("the patch of a webhook is not a list of operations"));
  if (operations.length === 0) return undefined;
  const { object, webhook } = target;
  if (object === undefined) {
    const what = "attempted to modify the object, which is not supported for this operation";
    throw internalError(new Error(`admission webhook ${goQuote(webhook)} ${what}`));
  }
  if (patchType !== "JSONPatch")
    throw new WebhookCallError(webhook, `unsupported patch type ${goQuote(patchType.slice(0, 100))}`, { code: 400 });
  return { object: internally(() => read(applyJsonPatch(object, operations), target)), operations };
}

/** Errors in a patch are not errors of the client, so they are reported as InternalError. */
function internally<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw internalError(error);
  }
}

function read(value: unknown, { object, kind, schema }: PatchTarget): ApiObject {
  const decoded = schema === undefined ? value : decoderFor(schema).decode(value);
  const { kind: foundKind, apiVersion: foundVersion } = value as JsonObject;
  const want = { kind: object?.kind, apiVersion: object?.apiVersion };
  const isSame = (found: unknown, wanted: unknown) => found === undefined || found === "" || found === wanted;
  if (!isSame(foundKind, want.kind) || !isSame(foundVersion, want.apiVersion)) {
    const found = `${String(foundVersion).slice(0, 100)}, Kind=${String(foundKind).slice(0, 100)}`;
    throw new Error(`the patched object is not a ${kind.kind} of ${want.apiVersion}: found ${found}`);
  }
  return { ...(decoded as ApiObject), ...want };
}
