import type { core } from "@orchernetes/api";
import { compileNodeAffinity } from "@orchernetes/component-helpers";
import { type NodeTable, PRESENT } from "../cache/node-table.ts";

/** Memory limit for cached selectors, in bytes; pods of one template share one. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Number of selectors that are cached regardless of the cluster's size. */
const MIN_CACHED = 64;

/** By slot: 1 for nodes that a pod's node selector and required affinity match; undefined when it has neither. */
export type NodeMatches = (spec: core.PodSpec, nodes: NodeTable) => Uint8Array | undefined;

/**
 * Creates a {@link NodeMatches} that caches results per selector until a node is added, removed, or changes its labels.
 * Pods of a template have the same selector, so that a thousand of them cost one pass over the nodes.
 */
export function createNodeMatches(): NodeMatches {
  const cache = new Map<string, Uint8Array>();
  let version = -1;
  let owner: NodeTable | undefined;
  return (spec, nodes) => {
    const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (spec.nodeSelector === undefined && required === undefined) return undefined;
    if (nodes.labelsVersion !== version || owner !== nodes) {
      cache.clear();
      version = nodes.labelsVersion;
      owner = nodes;
    }
    const key = JSON.stringify([spec.nodeSelector, required]);
    let matches = cache.get(key);
    if (matches === undefined) {
      const wanted = compileNodeAffinity(spec);
      if (wanted === undefined) return undefined;
      for (const oldest of cache.keys()) {
        if (cache.size < Math.max(MIN_CACHED, MAX_BYTES / nodes.length)) break;
        cache.delete(oldest);
      }
      matches = new Uint8Array(nodes.length);
      for (let slot = 0; slot < nodes.length; slot++) {
        const node = nodes.nodeAt(slot);
        if (node !== undefined && (nodes.flags[slot] ?? 0) & PRESENT && wanted(node)) matches[slot] = 1;
      }
      cache.set(key, matches);
    }
    return matches;
  };
}
