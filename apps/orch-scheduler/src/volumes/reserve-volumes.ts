import type { core } from "@orchernetes/api";
import { keyOf } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { annotated, reserveVolume, selectedNode } from "@orchernetes/component-helpers";
import type { Clock } from "@orchernetes/kernel";
import type { PodInfo } from "../cache/pod-info.ts";
import { type ExpectedBindings, expectedBindings } from "./expected-bindings.ts";
import { placeClaims, type VolumePlan, withoutRepetition } from "./place-claims.ts";
import { sortClaims } from "./pod-claims.ts";
import type { VolumeCaches } from "./volumes.ts";
import { writePlan } from "./write-plan.ts";

/** Volumes that were assumed for a pod on its node, and that have to be bound before the pod is. */
export interface Reservation {
  /** Writes what was reserved. Resolves when the pod may be bound. Rejects if it must be scheduled again. */
  preBind(signal: AbortSignal): Promise<void>;
  /** Ends the assumption, after a failure. Synchronous and idempotent. */
  unreserve(): void;
}

/** What binding volumes needs. */
export interface VolumeBinderOptions {
  readonly client: Client;
  readonly caches: VolumeCaches;
  /** Whether the pod still exists, and the node as last observed. */
  readonly podExists: (info: PodInfo) => boolean;
  readonly node: (name: string) => core.Node | undefined;
  readonly clock: Clock;
  /** Called when volumes could not be reserved (`assume`), or not be bound. @default failures are not counted */
  readonly failed?: (stage: "assume" | "bind") => void;
}

/** Creates a function that reserves volumes for a pod on the node that was chosen for it. */
export type ReserveVolumes = (info: PodInfo, node: core.Node, timeoutMs: number) => Reservation | undefined;

/** Interval in milliseconds at which conditions are checked that have no event here, such as a changed node label. */
const CHECK_MS = 1000;

/**
 * Creates the function. The reservation is assumed at once, and written by {@link Reservation.preBind}, which resolves
 * when all claims of the pod are bound.
 */
export function createReserveVolumes(options: VolumeBinderOptions): ReserveVolumes {
  const { caches, failed } = options;
  const impossible = (message: string): Error => {
    failed?.("assume");
    return new Error(message);
  };
  return (info, node, timeoutMs) => {
    const claims = sortClaims(info.pod, caches);
    if (claims === undefined) return undefined;
    if ("rejected" in claims) throw impossible(claims.rejected);
    if (claims.delayed.length === 0) return undefined;
    const placement = placeClaims(claims.delayed, caches)(node);
    if (placement === "noVolume" || placement === "noSpace")
      throw impossible(`the volumes of the pod cannot be bound on node ${node.metadata.name} any more`);
    const plan = withoutRepetition(placement);
    const nodeName = node.metadata.name ?? "";
    assume(plan, nodeName, caches);
    return {
      async preBind(signal) {
        try {
          const written = await writePlan(plan, nodeName, options.client, signal);
          await bound(expectedBindings(info, nodeName, written, options), timeoutMs, options, signal);
        } catch (error) {
          if (!signal.aborted) failed?.("bind");
          throw error;
        }
      },
      unreserve() {
        for (const { volume } of plan.bindings) caches.persistentVolumes.restore(keyOf(volume));
        for (const claim of plan.provisions) caches.claims.restore(keyOf(claim));
      },
    };
  };
}

function assume({ bindings, provisions }: VolumePlan, node: string, caches: VolumeCaches): void {
  for (const { volume, claim } of bindings) {
    const reserved = reserveVolume(volume, claim);
    if (reserved !== volume) caches.persistentVolumes.assume(reserved);
  }
  for (const claim of provisions) caches.claims.assume(annotated(claim, { [selectedNode]: node }));
}

/** Resolves when the claims are bound. @throws Error if they cannot be any more, or the time is over */
async function bound(
  { claimKeys, check }: ExpectedBindings,
  timeoutMs: number,
  { caches, clock }: VolumeBinderOptions,
  signal: AbortSignal,
): Promise<void> {
  const untilMs = clock.monotonicMs() + timeoutMs;
  let wake = new AbortController();
  const ends = claimKeys.map((key) => caches.onClaimChange(key, () => wake.abort()));
  try {
    for (;;) {
      signal.throwIfAborted();
      wake = new AbortController();
      if (check()) return;
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) throw new Error("binding volumes: timed out waiting for the condition");
      await clock.sleep(Math.min(leftMs, CHECK_MS), AbortSignal.any([signal, wake.signal])).catch(() => undefined);
    }
  } finally {
    for (const end of ends) end();
  }
}
