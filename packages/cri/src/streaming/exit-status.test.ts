import { expect, test } from "vitest";
import { CriError, grpcCodeName, isCriError } from "../client/cri-error.ts";
import { exitStatusMessage } from "./exit-status.ts";

const exited = (exitCode: number) => ({ type: "exited", exitCode }) as const;
const failed = { type: "failed", message: "no such container" } as const;

test.each([4, 5])("from version %i on, the error channel says how a command ended in a Status", (version) => {
  const told = (outcome: Parameters<typeof exitStatusMessage>[0]) => JSON.parse(exitStatusMessage(outcome, version));
  expect(told(exited(0))).toEqual({ metadata: {}, status: "Success" });
  expect(told(exited(137))).toMatchObject({
    status: "Failure",
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: "137" }] },
  });
  expect(told(failed)).toMatchObject({
    status: "Failure",
    reason: "InternalError",
    code: 500,
    message: "Internal error occurred: no such container",
    details: { causes: [{ message: "no such container" }] },
  });
});

test.each([1, 2, 3])("in version %i it says so in words, and nothing on success", (version) => {
  expect(exitStatusMessage(exited(0), version)).toBe("");
  expect(exitStatusMessage(exited(3), version)).toContain("3");
  expect(exitStatusMessage(failed, version)).toBe("no such container");
});

test("codes of gRPC have the names that users know, and unknown ones are Unknown", () => {
  expect([0, 1, 5, 12, 14, 16, 17, -1, 0.5].map(grpcCodeName)).toEqual([
    "OK",
    "Canceled",
    "NotFound",
    "Unimplemented",
    "Unavailable",
    "Unauthenticated",
    "Unknown",
    "Unknown",
    "Unknown",
  ]);
});

test("an error of the runtime is recognized by its code, and others never are", () => {
  const error = new CriError("StopContainer", "NotFound", "gone");
  expect(error.message).toBe("rpc error: code = NotFound desc = gone");
  expect([isCriError(error), isCriError(error, "Unknown", "NotFound"), isCriError(error, "Unknown")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(isCriError(Object.assign(new Error("gone"), { code: "NotFound" }), "NotFound")).toBe(false);
});
