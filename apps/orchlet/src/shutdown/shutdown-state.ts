import type { Refusal } from "../types/pod-failure.ts";

/** Whether the host is shutting down. */
export interface ShutdownState {
  isShuttingDown: boolean;
}

/** Why the node is not ready: it shuts down. Empty otherwise. */
export const shutdownErrors = ({ isShuttingDown }: ShutdownState): readonly string[] =>
  isShuttingDown ? ["node is shutting down"] : [];

/** Why a node that shuts down starts no pod; undefined otherwise. */
export const refusalByShutdown = ({ isShuttingDown }: ShutdownState): Refusal | undefined =>
  isShuttingDown
    ? { reason: "NodeShutdown", message: "Pod was rejected as the node is shutting down.", dependsOnNode: false }
    : undefined;

/** The event on the node when a shutdown of the host begins or is cancelled. The texts are the original's. */
export const shutdownEvent = (isShuttingDown: boolean): { readonly reason: string; readonly message: string } => ({
  reason: "Shutdown",
  message: `Shutdown manager detected ${isShuttingDown ? "shutdown event" : "shutdown cancellation"}`,
});
