import { messageOf } from "@orchernetes/kernel";

/** Operations that all clients perform, in this order: later ones use the objects of earlier ones. */
export const OPERATIONS = [
  "create",
  "list",
  "watch",
  "json patch",
  "merge patch",
  "strategic patch",
  "apply",
  "server-side apply",
  "delete",
  "logs",
  "exec",
] as const;

/** One of {@link OPERATIONS}. */
export type Operation = (typeof OPERATIONS)[number];

/** Operations that need a running pod. */
export const POD_OPERATIONS: ReadonlySet<Operation> = new Set(["logs", "exec"]);

/** The outcome of an operation. */
export type Outcome =
  | { readonly type: "passed" }
  | { readonly type: "failed"; readonly why: string }
  /** The client has no such operation. */
  | { readonly type: "absent" }
  /** A precondition was missing. */
  | { readonly type: "skipped"; readonly why: string };

/** The server, namespace and folder for a client. */
export interface Target {
  /** Client configuration file of an administrator. */
  readonly clientConfig: string;
  /** A namespace for this client only. */
  readonly namespace: string;
  /** Folder for caches and files of the client. */
  readonly dir: string;
  /** A running pod in that namespace, whose container prints {@link POD_GREETING}; undefined where there is no node. */
  readonly pod?: string;
}

/** The first line of the log of the pod. */
export const POD_GREETING = "hello from the pod";

/** Performs an operation with a client. Rejects when the client fails or its output is not as expected. */
type Attempt = (target: Target) => Promise<void>;

/** A client that is not part of this project. */
export interface StockClient {
  /** With its version, e.g. `kubectl 1.32.4`. */
  readonly name: string;
  readonly operations: Readonly<Partial<Record<Operation, Attempt>>>;
}

/** A client with its outcomes, or the reason why it is missing. */
export type ClientRow =
  | { readonly name: string; readonly outcomes: ReadonlyMap<Operation, Outcome> }
  | { readonly name: string; readonly missing: string };

/** Performs operations with a client, one after the other. Errors of the client become outcomes. */
export async function tryOperations(
  client: StockClient,
  operations: readonly Operation[],
  target: Target,
): Promise<ReadonlyMap<Operation, Outcome>> {
  const outcomes = new Map<Operation, Outcome>();
  for (const operation of operations) outcomes.set(operation, await attempt(client, operation, target));
  return outcomes;
}

async function attempt(client: StockClient, operation: Operation, target: Target): Promise<Outcome> {
  const act = client.operations[operation];
  if (act === undefined) return { type: "absent" };
  if (POD_OPERATIONS.has(operation) && target.pod === undefined) return { type: "skipped", why: "no node" };
  try {
    await act(target);
    return { type: "passed" };
  } catch (error) {
    return { type: "failed", why: messageOf(error) };
  }
}
