import { parentPort } from "node:worker_threads";
import { MountInTheWay, type Removal, removalSteps } from "./removal-steps.ts";

/** Request of the main thread to delete a folder. */
export interface RemovalRequest extends Removal {
  readonly id: number;
}

/** The result of a request. */
export type RemovalResult = { readonly id: number } & (
  | { readonly type: "removed" }
  | { readonly type: "mounted" }
  | { readonly type: "failed"; readonly error: unknown }
);

const running = new Map<number, Generator<undefined, void, undefined>>();

/** Runs a step of each removal in turn, so that a folder with a million files does not delay others. */
function turn(): void {
  for (const [id, steps] of running) {
    const result = advance(id, steps);
    if (result === undefined) continue;
    running.delete(id);
    parentPort?.postMessage(result);
  }
  if (running.size > 0) setImmediate(turn);
}

function advance(id: number, steps: Generator<undefined, void, undefined>): RemovalResult | undefined {
  try {
    return steps.next().done ? { id, type: "removed" } : undefined;
  } catch (error) {
    return error instanceof MountInTheWay ? { id, type: "mounted" } : { id, type: "failed", error };
  }
}

parentPort?.on("message", ({ id, parent, name }: RemovalRequest) => {
  running.set(id, removalSteps({ parent, name }));
  if (running.size === 1) setImmediate(turn);
});
