import { messageOf } from "@orchernetes/kernel";
import { maxListedErrors } from "../field-errors/error-limit.ts";
import { aggregate } from "../field-errors/field.ts";
import type { FieldError } from "../field-errors/field-error.ts";
import { goQuote, shortened } from "../field-errors/go-value.ts";
import { ApiError, failure } from "./api-error.ts";
import { type StatusReason, statusCodes } from "./reason.ts";
import type { StatusDetails } from "./status.ts";

/** A resource in errors: `pods`, `deployments.apps`. */
export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

/** A kind in errors: `Pod`, `Deployment.apps`. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

const qualified = (name: string, group: string): string => (group === "" ? name : `${name}.${group}`);

/** `{ name, group, kind }` without empty members. */
function detailsOf(group: string, kind: string, name: string, more?: Partial<StatusDetails>): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(kind === "" ? {} : { kind }),
    ...more,
  };
}

const ofResource = (
  reason: StatusReason,
  resource: GroupResource,
  name: string,
  message: string,
  more?: Partial<StatusDetails>,
): ApiError => new ApiError(failure(reason, message, detailsOf(resource.group, resource.plural, name, more)));

/** 404: `pods "x" not found`. */
export function notFound(resource: GroupResource, name: string): ApiError {
  return ofResource(
    "NotFound",
    resource,
    name,
    `${qualified(resource.plural, resource.group)} ${goQuote(name)} not found`,
  );
}

/** 409: `pods "x" already exists`. */
export function alreadyExists(resource: GroupResource, name: string): ApiError {
  return ofResource(
    "AlreadyExists",
    resource,
    name,
    `${qualified(resource.plural, resource.group)} ${goQuote(name)} already exists`,
  );
}

/** 409 for a generated name that collided several times; the client may retry. */
export function generateNameConflict(resource: GroupResource, name: string, retryAfterSeconds: number): ApiError {
  return ofResource(
    "AlreadyExists",
    resource,
    name,
    `${qualified(resource.plural, resource.group)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`,
    { retryAfterSeconds },
  );
}

/** The detail of a failed optimistic update. */
export const objectModified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** 409: `Operation cannot be fulfilled on deployments.apps "x": detail`. */
export function conflict(resource: GroupResource, name: string, detail: string = objectModified): ApiError {
  return ofResource(
    "Conflict",
    resource,
    name,
    `Operation cannot be fulfilled on ${qualified(resource.plural, resource.group)} ${goQuote(name)}: ${detail}`,
  );
}

/** One field that another manager owns. */
export interface ApplyConflict {
  readonly message: string;
  readonly field: string;
}

/** 409 of server-side apply, with one cause per field. */
export function applyConflict(causes: readonly ApplyConflict[], message: string): ApiError {
  return new ApiError(
    failure("Conflict", message, { causes: causes.map((cause) => ({ reason: "FieldManagerConflict", ...cause })) }),
  );
}

/** Replaces the errors that are not listed. */
const tooManyErrors: FieldError = Object.freeze({
  type: "FieldValueTooMany",
  field: "",
  message: `Too many errors: only the first ${maxListedErrors} are listed`,
});

/** 422: `Deployment.apps "x" is invalid: …`, with one cause for each of the first hundred errors. */
export function invalid(kind: GroupKind, name: string, errors: readonly FieldError[]): ApiError {
  const listed = errors.length > maxListedErrors ? [...errors.slice(0, maxListedErrors), tooManyErrors] : errors;
  const causes = listed.map((error) => ({ reason: error.type, message: error.message, field: error.field }));
  const start = `${qualified(kind.kind, kind.group)} ${goQuote(shortened(name))} is invalid`;
  const message = errors.length === 0 ? start : `${start}: ${aggregate(listed)}`;
  return new ApiError(
    failure(
      "Invalid",
      message,
      detailsOf(kind.group, kind.kind, shortened(name), causes.length === 0 ? {} : { causes }),
    ),
  );
}

/** 400. */
export function badRequest(message: string, options?: { readonly cause?: unknown }): ApiError {
  return new ApiError(failure("BadRequest", message), options);
}

/** 401 with the text `Unauthorized`, or another one that helps the client. */
export function unauthorized(message = "Unauthorized"): ApiError {
  return new ApiError(failure("Unauthorized", message === "" ? "not authorized" : message));
}

/** 403: `pods "x" is forbidden: detail`; without a name or resource the text is shorter. */
export function forbidden(resource: GroupResource, name: string, detail: string): ApiError {
  const resourceName = qualified(resource.plural, resource.group);
  const start =
    resource.plural === ""
      ? "forbidden"
      : name === ""
        ? `${resourceName} is forbidden`
        : `${resourceName} ${goQuote(name)} is forbidden`;
  return ofResource("Forbidden", resource, name, `${start}: ${detail}`);
}

/** 405: the resource has no such verb. */
export function methodNotSupported(resource: GroupResource, action: string): ApiError {
  return ofResource(
    "MethodNotAllowed",
    resource,
    "",
    `${action} is not supported on resources of kind ${goQuote(qualified(resource.plural, resource.group))}`,
  );
}

/** 410 Expired: the requested history is compacted; the client must list again. */
export function resourceExpired(message: string): ApiError {
  return new ApiError(failure("Expired", message));
}

/** 410 Gone. */
export function gone(message: string): ApiError {
  return new ApiError(failure("Gone", message));
}

/** 429. With `retryAfterSeconds` 0 there is no Retry-After. */
export function tooManyRequests(message: string, retryAfterSeconds = 0): ApiError {
  return new ApiError(failure("TooManyRequests", message, retryAfterSeconds > 0 ? { retryAfterSeconds } : {}));
}

/** 429 of the server's filters, which run before the resource of the request is known. */
export function tooManyRequestsError(message: string): ApiError {
  return new ApiError(failure("TooManyRequests", `Too many requests: ${message}`));
}

/** 500: `Internal error occurred: …`. The error is kept as `cause`. */
export function internalError(error: unknown): ApiError {
  const message = messageOf(error);
  return new ApiError(failure("InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] }), {
    cause: error,
  });
}

/** 504: the operation may or may not have been executed. */
export function timeoutError(message: string, retryAfterSeconds = 0): ApiError {
  return new ApiError(failure("Timeout", `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {}));
}

/** 504 for a resourceVersion that the server has not reached yet. */
export function resourceVersionTooLarge(asked: string, current: string, retryAfterSeconds = 1): ApiError {
  const message = "Too large resource version";
  return new ApiError(
    failure("Timeout", `Timeout: ${message}: ${asked}, current: ${current}`, {
      causes: [{ reason: "ResourceVersionTooLarge", message }],
      retryAfterSeconds,
    }),
  );
}

/** 500: the server could not finish in time; a retry is safe. */
export function serverTimeout(resource: GroupResource, operation: string, retryAfterSeconds = 0): ApiError {
  return ofResource(
    "ServerTimeout",
    resource,
    // The operation is in the field for the name, where clients of this error expect it.
    operation,
    `The ${operation} operation against ${qualified(resource.plural, resource.group)} could not be completed at this time, please try again.`,
    { retryAfterSeconds },
  );
}

/** 503. */
export function serviceUnavailable(message: string): ApiError {
  return new ApiError(failure("ServiceUnavailable", message));
}

/** 406: no media type that the client accepts can be produced. */
export function notAcceptable(types: readonly string[]): ApiError {
  return new ApiError(failure("NotAcceptable", `only the following media types are accepted: ${types.join(", ")}`));
}

/** 415: the body's media type is not supported. */
export function unsupportedMediaType(types: readonly string[]): ApiError {
  return new ApiError(
    failure(
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${types.join(", ")}`,
    ),
  );
}

/** 413: `Request entity too large: limit is 3145728`. */
export function requestEntityTooLarge(message: string): ApiError {
  return new ApiError(failure("RequestEntityTooLarge", `Request entity too large: ${message}`));
}

const genericReasons: Readonly<Record<number, { reason: StatusReason; message: string }>> = {
  400: { reason: "BadRequest", message: "the server rejected our request for an unknown reason" },
  401: { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" },
  403: { reason: "Forbidden", message: "" },
  404: { reason: "NotFound", message: "the server could not find the requested resource" },
  405: { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" },
  406: {
    reason: "NotAcceptable",
    message: "the server was unable to respond with a content type that the client supports",
  },
  409: { reason: "Conflict", message: "the server reported a conflict" },
  410: { reason: "Gone", message: "the resource is no longer available" },
  413: { reason: "RequestEntityTooLarge", message: "the request entity is too large" },
  415: {
    reason: "UnsupportedMediaType",
    message: "the server does not support the media type of the request body",
  },
  422: { reason: "Invalid", message: "the server rejected our request due to an error in our request" },
  429: {
    reason: "TooManyRequests",
    message: "the server has received too many requests and has asked us to try again later",
  },
  500: {
    reason: "InternalError",
    message: "an error on the server has prevented the request from succeeding",
  },
  503: { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" },
  504: {
    reason: "Timeout",
    message: "the server was unable to return a response in the time allotted, but may still be processing the request",
  },
};

/** What is known about an HTTP response without a Status. */
export interface GenericResponse {
  readonly code: number;
  readonly verb?: string;
  readonly resource?: GroupResource;
  readonly name?: string;
  /** Text of the response, appended as detail unless empty. */
  readonly serverMessage?: string;
  readonly retryAfterSeconds?: number;
  /** Replaces the usual text of the code. */
  readonly message?: string;
}

/**
 * The error for an HTTP response that is known by its code only, such as for a path that no route serves (404) or a
 * proxy's 502.
 */
export function genericServerResponse(response: GenericResponse): ApiError {
  const { code, verb = "", resource, name = "", serverMessage = "", retryAfterSeconds = 0 } = response;
  const known = genericReasons[code];
  const conflictOnCreate = code === 409 && verb.toUpperCase() === "POST";
  const reason: StatusReason | "" = conflictOnCreate
    ? "AlreadyExists"
    : (known?.reason ?? (code >= 500 ? "InternalError" : ""));
  let message =
    known?.message ??
    (code >= 500
      ? genericReasons[500]?.message
      : `the server responded with the status code ${code} but did not return more information`) ??
    "";
  if (code === 403) {
    message = serverMessage || "the server does not allow access to the requested resource";
  } else if (serverMessage !== "" && (known === undefined || code === 500) && code >= 500) {
    message = `an error on the server (${goQuote(serverMessage)}) has prevented the request from succeeding`;
  }
  if (resource !== undefined && resource.plural !== "") {
    const target = qualified(resource.plural, resource.group);
    message += ` (${verb.toLowerCase()} ${target}${name === "" ? "" : ` ${name}`})`;
  }
  const causes =
    serverMessage !== "" && known?.message !== serverMessage && resource !== undefined
      ? { causes: [{ reason: "UnexpectedServerResponse", message: serverMessage }] }
      : {};
  return new ApiError(
    failure(
      reason,
      response.message ?? message,
      detailsOf(resource?.group ?? "", resource?.plural ?? "", name, {
        ...causes,
        ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
      }),
      code,
    ),
  );
}

/** Every reason and its code, for documentation and metrics. */
export const reasons: readonly StatusReason[] = Object.freeze(Object.keys(statusCodes) as StatusReason[]);
