import type { core } from "@orchernetes/api";
import type { ProxyHost } from "../proxy-host.ts";
import { podCIDRs } from "./service-settings.ts";

/** How long the ranges may take to be allocated, in milliseconds, as in the original. */
const ALLOCATION_MS = 300_000;

/** What is needed of the daemon. */
export type PodRangesHost = Pick<ProxyHost, "clock" | "logger" | "signal" | "end"> & {
  readonly informers: Pick<ProxyHost["informers"], "node">;
};

/**
 * Waits until the node has ranges for its pods, from which their traffic is recognized.
 *
 * @throws Error if it has none after five minutes
 * @throws the reason of the host's signal when it aborts first
 */
export async function nodeWithPodCIDRs({ informers, clock, signal, logger }: PodRangesHost): Promise<core.Node> {
  const found = Promise.withResolvers<core.Node>();
  const look = (node: core.Node) => {
    if (podCIDRs(node).length > 0) found.resolve(node);
    else logger.info("Waiting for podCIDRs of the node, for detectLocalMode NodeCIDR");
  };
  const remove = informers.node.addHandler({ onAdd: look, onUpdate: (_, node) => look(node) });
  const late = new Error("timeout waiting for PodCIDR allocation to configure detect-local-mode NodeCIDR");
  const timer = clock.setTimeout(() => found.reject(late), ALLOCATION_MS);
  const onAbort = () => found.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await found.promise;
  } finally {
    remove();
    timer.clear();
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Ends the daemon when the ranges of the node differ from those that the rules were made for: whatever runs it starts it again, and
 * it makes rules for the new ones.
 */
export function endOnOtherPodCIDRs({ informers, logger, end }: PodRangesHost, node: core.Node): void {
  const known = podCIDRs(node);
  const look = (now: core.Node) => {
    const found = podCIDRs(now);
    if (found.join() === known.join()) return;
    logger.error(undefined, "The podCIDRs of the node have changed since the start", { known, found });
    end(new Error("current Node PodCIDRs are different than previous PodCIDRs, restarting"));
  };
  informers.node.addHandler({
    onAdd: look,
    onUpdate: (_, now) => look(now),
    onDelete: ({ metadata }) => logger.error(undefined, "The node is deleted", { node: metadata.name }),
  });
}
