import { messageOf } from "@orchernetes/kernel";

/** What every stock client is asked to do, in this order: later ones work on what earlier ones made. */
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

/** See {@link OPERATIONS}. */
export type Operation = (typeof OPERATIONS)[number];

/** Operations that need a pod that runs. */
export const POD_OPERATIONS: ReadonlySet<Operation> = new Set(["logs", "exec"]);

/** How an operation went. */
export type Outcome =
  | { readonly type: "passed" }
  | { readonly type: "failed"; readonly why: string }
  /** The client has no such operation. */
  | { readonly type: "absent" }
  /** What it needs was not there. */
  | { readonly type: "skipped"; readonly why: string };

/** What a client works on. */
export interface Target {
  /** Client configuration file of an administrator. */
  readonly clientConfig: string;
  /** A namespace that is the client's own. */
  readonly namespace: string;
  /** Folder for its caches and files. */
  readonly dir: string;
  /** A running pod in that namespace, whose container prints {@link POD_GREETING}; undefined where there is no node. */
  readonly pod?: string;
}

/** What the pod's log begins with. */
export const POD_GREETING = "hello from the pod";

/** An operation of a client. @throws Error when the client fails, or what it shows is not what it should be */
type Attempt = (target: Target) => Promise<void>;

/** A client that others wrote. */
export interface StockClient {
  /** With its version, e.g. `kubectl 1.32.4`. */
  readonly name: string;
  readonly operations: Readonly<Partial<Record<Operation, Attempt>>>;
}

/** A client with its outcomes; undefined outcomes, with the reason, for one that is not there. */
export type ClientRow =
  | { readonly name: string; readonly outcomes: ReadonlyMap<Operation, Outcome> }
  | { readonly name: string; readonly missing: string };

/** Lets a client do what is asked of it; nothing it does wrong ends the run. */
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
