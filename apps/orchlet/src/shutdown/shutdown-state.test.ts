import { expect, test } from "vitest";
import { refusalByShutdown, shutdownErrors, shutdownEvent } from "./shutdown-state.ts";

test.each([
  [true, "Shutdown manager detected shutdown event", ["node is shutting down"], "NodeShutdown"],
  [false, "Shutdown manager detected shutdown cancellation", [], undefined],
])("what a node says when it shuts down (%s)", (isShuttingDown, message, errors, refusal) => {
  expect(shutdownEvent(isShuttingDown)).toEqual({ reason: "Shutdown", message });
  expect(shutdownErrors({ isShuttingDown })).toEqual(errors);
  expect(refusalByShutdown({ isShuttingDown })?.reason).toBe(refusal);
});
