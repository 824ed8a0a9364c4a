import type { HeapProfiler } from "node:inspector";
import { setTimeout as sleep } from "node:timers/promises";
import type { Inspection } from "./inspect.ts";
import type { Frame, Profile, ProfileNode } from "./profile-tree.ts";

const samplingIntervalBytes = 32 * 1024;

/** A node with the fields that the declarations of the protocol lack. */
interface SampledNode {
  readonly id: number;
  readonly selfSize: number;
  readonly callFrame: Frame;
  readonly children: readonly SampledNode[];
}

/** A V8 sampling heap profile with the times it covers; Chrome DevTools opens the profile as `.heapprofile`. */
export interface HeapProfile {
  readonly startedMs: number;
  readonly durationMs: number;
  readonly profile: HeapProfiler.SamplingHeapProfile;
}

/** The options of a heap profile. */
export interface HeapProfileOptions {
  readonly durationMs: number;
  /**
   * Counts freed memory as well, so that the profile shows which code allocates instead of which code retains. @default
   * false
   */
  readonly freed?: boolean;
  /** Collects garbage first. @default false */
  readonly collect?: boolean;
}

/** Samples allocations for a while, or until `signal` is aborted: by the code that allocated the memory. */
export function takeHeapProfile(options: HeapProfileOptions, signal: AbortSignal): Inspection<HeapProfile> {
  return async (session) => {
    if (options.collect === true) await session.post("HeapProfiler.collectGarbage");
    const startedMs = Date.now();
    await session.post("HeapProfiler.startSampling", {
      samplingInterval: samplingIntervalBytes,
      includeObjectsCollectedByMajorGC: options.freed ?? false,
      includeObjectsCollectedByMinorGC: options.freed ?? false,
    });
    await sleep(options.durationMs, undefined, { signal }).catch(() => undefined);
    const { profile } = await session.post("HeapProfiler.stopSampling");
    return { startedMs, durationMs: Date.now() - startedMs, profile };
  };
}

/**
 * The heap profile as objects and bytes per call stack.
 * @param prefix `inuse` or `alloc`
 */
export function heapProfileTree({ startedMs, durationMs, profile }: HeapProfile, prefix: string): Profile {
  const { head, samples } = profile as unknown as {
    readonly head: SampledNode;
    readonly samples: readonly { readonly nodeId: number }[];
  };
  const counts = new Map<number, number>();
  for (const { nodeId } of samples) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
  const treeOf = (node: SampledNode): ProfileNode => ({
    frame: node.callFrame,
    ...(node.selfSize === 0 ? {} : { values: [counts.get(node.id) ?? 1, node.selfSize] }),
    children: node.children.map(treeOf),
  });
  return {
    sampleTypes: [
      [`${prefix}_objects`, "count"],
      [`${prefix}_space`, "bytes"],
    ],
    root: treeOf(head),
    startedMs,
    durationMs,
    period: { type: ["space", "bytes"], value: samplingIntervalBytes },
  };
}
