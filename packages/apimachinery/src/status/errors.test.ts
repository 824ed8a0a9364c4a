import { expect, test } from "vitest";
import { field } from "../field-errors/field.ts";
import { ApiError, statusOf } from "./api-error.ts";
import * as errors from "./errors.ts";
import * as is from "./predicates.ts";

const pods = { group: "", plural: "pods" };
const deployments = { group: "apps", plural: "deployments" };

test.each([
  [errors.notFound(pods, "x"), 404, "NotFound", 'pods "x" not found', { name: "x", kind: "pods" }],
  [
    errors.notFound(deployments, "x"),
    404,
    "NotFound",
    'deployments.apps "x" not found',
    { name: "x", group: "apps", kind: "deployments" },
  ],
  [errors.alreadyExists(pods, "x"), 409, "AlreadyExists", 'pods "x" already exists', { name: "x", kind: "pods" }],
  [
    errors.conflict(deployments, "bad"),
    409,
    "Conflict",
    'Operation cannot be fulfilled on deployments.apps "bad": the object has been modified; please apply your changes to the latest version and try again',
    { name: "bad", group: "apps", kind: "deployments" },
  ],
  [
    errors.forbidden(pods, "x", 'User "u" cannot get'),
    403,
    "Forbidden",
    'pods "x" is forbidden: User "u" cannot get',
    { name: "x", kind: "pods" },
  ],
  [
    errors.forbidden(deployments, "", "no"),
    403,
    "Forbidden",
    "deployments.apps is forbidden: no",
    { group: "apps", kind: "deployments" },
  ],
  [
    errors.forbidden({ group: "", plural: "" }, "", 'User "u" cannot get path "/apis"'),
    403,
    "Forbidden",
    'forbidden: User "u" cannot get path "/apis"',
    {},
  ],
  [errors.unauthorized(), 401, "Unauthorized", "Unauthorized", undefined],
  [errors.badRequest("no"), 400, "BadRequest", "no", undefined],
  [errors.resourceExpired("too old"), 410, "Expired", "too old", undefined],
  [
    errors.resourceVersionTooLarge("9", "5"),
    504,
    "Timeout",
    "Timeout: Too large resource version: 9, current: 5",
    { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }], retryAfterSeconds: 1 },
  ],
  [errors.tooManyRequests("slow", 3), 429, "TooManyRequests", "slow", { retryAfterSeconds: 3 }],
  [
    errors.requestEntityTooLarge("limit is 3145728"),
    413,
    "RequestEntityTooLarge",
    "Request entity too large: limit is 3145728",
    undefined,
  ],
  [
    errors.notAcceptable(["application/json", "application/yaml"]),
    406,
    "NotAcceptable",
    "only the following media types are accepted: application/json, application/yaml",
    undefined,
  ],
  [
    errors.internalError(new Error("boom")),
    500,
    "InternalError",
    "Internal error occurred: boom",
    { causes: [{ message: "boom" }] },
  ],
  [
    errors.genericServerResponse({ code: 405 }),
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  ],
  [
    errors.genericServerResponse({ code: 404 }),
    404,
    "NotFound",
    "the server could not find the requested resource",
    {},
  ],
  [
    errors.genericServerResponse({ code: 422 }),
    422,
    "Invalid",
    "the server rejected our request due to an error in our request",
    {},
  ],
  [
    errors.genericServerResponse({ code: 502, serverMessage: "bad gateway" }),
    502,
    "InternalError",
    'an error on the server ("bad gateway") has prevented the request from succeeding',
    {},
  ],
])("%s", (error, code, reason, message, details) => {
  expect(error).toBeInstanceOf(ApiError);
  expect(error.message).toBe(message);
  expect(error.status).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  });
});

test.each([
  [{ group: "", kind: "Pod" }, [field.required("a")], 'Pod "x" is invalid: a: Required value'],
  [
    { group: "apps", kind: "Deployment" },
    [field.required("a"), field.required("b")],
    'Deployment.apps "x" is invalid: [a: Required value, b: Required value]',
  ],
  [{ group: "", kind: "Pod" }, [], 'Pod "x" is invalid'],
])("invalid %j", (kind, causes, message) => {
  const { status } = errors.invalid(kind, "x", causes);
  expect(status.message).toBe(message);
  expect(status.code).toBe(422);
  expect(status.details?.causes ?? []).toEqual(
    causes.map((cause) => ({ reason: cause.type, message: cause.message, field: cause.field })),
  );
});

test("equal texts appear once in the message and each in the causes", () => {
  const { status } = errors.invalid({ group: "", kind: "Pod" }, "x", [field.required("a"), field.required("a")]);
  expect(status.message).toBe('Pod "x" is invalid: a: Required value');
  expect(status.details?.causes).toHaveLength(2);
});

test.each([
  ["isNotFound", is.isNotFound, errors.notFound(pods, "x")],
  ["isAlreadyExists", is.isAlreadyExists, errors.alreadyExists(pods, "x")],
  ["isConflict", is.isConflict, errors.conflict(pods, "x")],
  ["isInvalid", is.isInvalid, errors.invalid({ group: "", kind: "Pod" }, "x", [])],
  ["isForbidden", is.isForbidden, errors.forbidden(pods, "x", "no")],
  ["isUnauthorized", is.isUnauthorized, errors.unauthorized()],
  ["isExpired", is.isExpired, errors.resourceExpired("old")],
  ["isTooManyRequests", is.isTooManyRequests, errors.tooManyRequests("slow")],
  ["isTimeout", is.isTimeout, errors.timeoutError("late")],
  ["isServerTimeout", is.isServerTimeout, errors.serverTimeout(pods, "list")],
  ["isInternalError", is.isInternalError, errors.internalError(new Error("x"))],
  ["isServiceUnavailable", is.isServiceUnavailable, errors.serviceUnavailable("down")],
] as const)("%s distinguishes its error from others", (_, matches, error) => {
  expect(matches(error)).toBe(true);
  expect(matches(errors.badRequest("other"))).toBe(false);
  expect(matches(new Error("other"))).toBe(false);
  expect(matches(undefined)).toBe(false);
});

test("a Status without reason is read by its code", () => {
  const bare = new ApiError({ metadata: {}, code: 404 });
  expect(is.isNotFound(bare)).toBe(true);
  expect(is.isConflict(new ApiError({ metadata: {}, code: 409 }))).toBe(true);
  expect(is.isAlreadyExists(new ApiError({ metadata: {}, code: 409 }))).toBe(false);
});

test("any thrown value is converted to a Status", () => {
  expect(statusOf("odd")).toMatchObject({ code: 500, message: "Internal error occurred: odd" });
  expect(statusOf(errors.badRequest("no")).code).toBe(400);
});
