import { expect, test } from "vitest";
import { ApiError, failure, statusOf, success } from "./api-error.ts";
import { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound, reasonForError } from "./predicates.ts";

const error = (reason: string, code: number) =>
  new ApiError({ ...failure("", "m"), ...(reason !== "" && { reason: reason as never }), code });

test.each<[string, (error: unknown) => boolean, readonly [string, number][], readonly [string, number][]]>([
  [
    "not found",
    isNotFound,
    [
      ["NotFound", 404],
      ["", 404],
      // The code decides about reasons that are not known, also those that every object inherits.
      ["GoneFishing", 404],
      ["constructor", 404],
    ],
    [
      ["Conflict", 404],
      ["", 409],
    ],
  ],
  [
    "a conflict",
    isConflict,
    [
      ["Conflict", 409],
      ["", 409],
    ],
    [["AlreadyExists", 409]],
  ],
  ["an object that exists", isAlreadyExists, [["AlreadyExists", 409]], [["", 409]]],
  ["invalid", isInvalid, [["", 422]], [["BadRequest", 422]]],
  ["forbidden", isForbidden, [["Forbidden", 403]], [["Unauthorized", 403]]],
])("an error is %s by its reason, or by its code without one", (_name, is, yes, no) => {
  expect(yes.filter(([reason, code]) => !is(error(reason, code)))).toEqual([]);
  expect(no.filter(([reason, code]) => is(error(reason, code)))).toEqual([]);
  expect([is(new Error("NotFound")), is(undefined), is({ code: 404 })]).toEqual([false, false, false]);
});

test("errors of other kinds have an unknown reason, and become internal errors", () => {
  expect(reasonForError(new Error("x"))).toBe("Unknown");
  expect(reasonForError(error("NotFound", 404))).toBe("NotFound");
  expect(statusOf(new Error("boom"))).toMatchObject({
    status: "Failure",
    reason: "InternalError",
    message: "Internal error occurred: boom",
    code: 500,
  });
  expect(success()).toEqual({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" });
});
