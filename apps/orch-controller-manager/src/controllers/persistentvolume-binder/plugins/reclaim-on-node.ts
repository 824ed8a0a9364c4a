import type { core } from "@orchernetes/api";
import { isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { reclaimAnnotation, reclaimRequests } from "@orchernetes/component-helpers";
import type { Clock } from "@orchernetes/kernel";
import { nodes } from "../../../shared/refs.ts";

/** What the removal of folders needs. */
export interface ReclaimOnNodeOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long an agent may take before the attempt counts as failed and is repeated later. */
const limitMs = 120_000;
/** Requests that a node has at a time without an answer. */
const maxRequests = 100;
/** Requests of a node with those that its agent has answered with an error: annotations have 256 KiB, and one up to 1 KiB. */
const maxAnnotations = 200;
/** The pause before the second look at the node, which an agent that does nothing else has answered by then. */
const firstPauseMs = 500;
/** Bounds of the later pauses: an agent that has not answered is busy or gone. */
const nextPauseMs = 2000;
const longestPauseMs = 10_000;

/**
 * Creates a function that removes the folder of a volume through the agent of its node: adds an annotation to the node,
 * and waits until the agent has removed it. It can be repeated at any time. A node that does not exist any more took the
 * folder with it.
 *
 * The function throws an Error with the agent's reason if it could not remove the folder, or if it did not answer in
 * time. The request stays then, and the agent may carry it out later.
 */
export function createReclaimOnNode(options: ReclaimOnNodeOptions): (node: string, volume: string) => Promise<void> {
  const { client, clock, signal } = options;
  const resource = client.resource(nodes);
  return async (name, volume) => {
    const key = reclaimAnnotation(volume);
    const untilMs = clock.monotonicMs() + limitMs;
    let asked = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = nextPauseOf(pauseMs)) {
      const node = await resource.get(name, { signal }).catch(undefinedIfGone);
      if (node === undefined) return;
      const value = node.metadata.annotations?.[key];
      if (asked && value === undefined) return;
      if (asked && value) throw new Error(`the agent of node "${name}" cannot remove the volume: ${value}`);
      if (!asked && (value !== undefined || hasRoom(node))) {
        // A request of an earlier attempt may bear its error.
        const patch = { metadata: { annotations: { [key]: "" } } };
        if (value !== "") await resource.patch(name, patch, { type: "merge", subresource: "status", signal });
        asked = true;
      }
      if (clock.monotonicMs() >= untilMs) throw new Error(`the agent of node "${name}" has not removed the volume yet`);
      await clock.sleep(pauseMs, signal);
    }
  };
}

const nextPauseOf = (pauseMs: number): number => Math.min(Math.max(nextPauseMs, pauseMs * 2), longestPauseMs);

/** Folders that cannot be removed keep their annotations for long, and must not keep others from being removed. */
function hasRoom({ metadata }: Stored<core.Node>): boolean {
  const requests = reclaimRequests(metadata.annotations);
  return requests.length < maxAnnotations && requests.filter(([, value]) => value === "").length < maxRequests;
}

function undefinedIfGone(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
