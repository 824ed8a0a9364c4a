import { type Facts, nameOf, type OwnerFacts, type PodFacts } from "../facts/facts.ts";
import type { ControllerHistory, ObjectEvent } from "./history.ts";

/** What an event changed. */
export interface Change {
  readonly event: ObjectEvent;
  /** The object before; undefined if it was created. */
  readonly before: Facts | undefined;
  /** The object now; undefined if it was removed. */
  readonly after: Facts | undefined;
}

/** A change of a pod. */
export interface PodChange {
  readonly before: PodFacts | undefined;
  readonly after: PodFacts | undefined;
  /** The pod now, or as it was last. */
  readonly pod: PodFacts;
}

/**
 * Milliseconds for which a controller may act by an old version of a Job, whose status does not say which generation was seen. The
 * informer of a controller lags behind by some milliseconds, on a machine with too much to do by more.
 */
const JOB_LAG_MS = 5000;

interface Version {
  readonly facts: OwnerFacts;
  readonly generation: number;
  /** When a later generation was received. */
  replacedAtMs: number | undefined;
}

/** The objects of a history at one revision after the other. */
export class Replay {
  readonly #objects = new Map<string, Facts>();
  readonly #versions = new Map<string, Version[]>();
  readonly #owned = new Map<string, Set<string>>();
  #nowMs = 0;

  /** Applies the next event; events must come in the order of revisions. */
  apply(event: ObjectEvent): Change {
    const { object, deleted, atMs } = event;
    const { uid, owner } = object;
    const before = this.#objects.get(uid);
    this.#nowMs = Math.max(this.#nowMs, atMs);
    if (before?.owner !== undefined) this.#owned.get(before.owner)?.delete(uid);
    if (deleted) {
      this.#objects.delete(uid);
      return { event, before, after: undefined };
    }
    this.#objects.set(uid, object);
    if (owner !== undefined) {
      const owned = this.#owned.get(owner);
      if (owned === undefined) this.#owned.set(owner, new Set([uid]));
      else owned.add(uid);
    }
    if (object.kind !== "Pod") this.#remember(object);
    return { event, before, after: object };
  }

  #remember(facts: OwnerFacts): void {
    const versions = this.#versions.get(facts.uid) ?? [];
    this.#versions.set(facts.uid, versions);
    const last = versions.at(-1);
    if (last?.generation === facts.generation) versions.pop();
    else if (last !== undefined) last.replacedAtMs = this.#nowMs;
    versions.push({ facts, generation: facts.generation, replacedAtMs: undefined });
  }

  /** All objects. */
  all(): readonly Facts[] {
    return [...this.#objects.values()];
  }

  get(uid: string | undefined): Facts | undefined {
    return uid === undefined ? undefined : this.#objects.get(uid);
  }

  /** The objects whose controller has this uid. */
  ownedBy(uid: string): readonly Facts[] {
    return [...(this.#owned.get(uid) ?? [])].flatMap((owned) => this.#objects.get(owned) ?? []);
  }

  /** The pods whose controller has this uid. */
  podsOf(uid: string): readonly PodFacts[] {
    return this.ownedBy(uid).filter((object) => object.kind === "Pod");
  }

  /**
   * The versions of an owner by which its controller may act now: from the generation that it last reported as observed on. A
   * controller that reported a generation must not act by an earlier one, whoever leads.
   */
  windowOf<F extends OwnerFacts>(owner: F): readonly F[] {
    const seen = (this.#versions.get(owner.uid) ?? []).filter(({ generation, replacedAtMs }) =>
      owner.kind === "Job"
        ? replacedAtMs === undefined || replacedAtMs >= this.#nowMs - JOB_LAG_MS
        : generation >= owner.observed,
    );
    // A uid never changes its kind.
    return seen.map(({ facts }) => facts as F);
  }

  /** All versions of an owner, one for each generation. */
  versionsOf<F extends OwnerFacts>(owner: F): readonly F[] {
    return (this.#versions.get(owner.uid) ?? []).map(({ facts }) => facts as F);
  }
}

/** The change of a pod; undefined if another object changed. */
export function podChange({ before, after }: Change): PodChange | undefined {
  const pod = after ?? before;
  if (pod?.kind !== "Pod") return undefined;
  return { pod, before: before as PodFacts | undefined, after: after as PodFacts | undefined };
}

/** Applies all events of a history. */
export function replay(history: ControllerHistory): Replay {
  const state = new Replay();
  for (const event of inOrder(history)) state.apply(event);
  return state;
}

/** The events in the order of revisions. Of an object that was removed, the removal is last. */
export function inOrder({ events }: ControllerHistory): readonly ObjectEvent[] {
  return [...events].sort((a, b) => a.revision - b.revision || Number(a.deleted) - Number(b.deleted));
}

/** `at 17: Pod web-1 …` */
export const describe = ({ event }: Change, text: string): string =>
  `at ${event.revision}, ${nameOf(event.object)}: ${text}`;
