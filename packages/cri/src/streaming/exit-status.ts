/** How a remote command ended. */
export type CommandOutcome =
  | { readonly type: "exited"; readonly exitCode: number }
  | { readonly type: "failed"; readonly message: string };

/**
 * The message for the error channel: a Status object from protocol version 4 on. In earlier versions a plain text,
 * which is empty on success.
 */
export function exitStatusMessage(outcome: CommandOutcome, version: number): string {
  if (version < 4) {
    if (outcome.type === "failed") return outcome.message;
    return outcome.exitCode === 0 ? "" : `command terminated with exit code ${outcome.exitCode}`;
  }
  if (outcome.type === "failed") {
    const message = `Internal error occurred: ${outcome.message}`;
    return JSON.stringify({
      metadata: {},
      status: "Failure",
      message,
      reason: "InternalError",
      details: { causes: [{ message: outcome.message }] },
      code: 500,
    });
  }
  if (outcome.exitCode === 0) return JSON.stringify({ metadata: {}, status: "Success" });
  return JSON.stringify({
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${outcome.exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(outcome.exitCode) }] },
  });
}
