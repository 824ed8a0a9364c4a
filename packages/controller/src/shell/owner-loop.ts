import type { ApiObject, Selector, Stored } from "@orchernetes/apimachinery";
import { type Client, type EventRecorder, type Informer, type ResourceRef, referenceTo } from "@orchernetes/client";
import { systemClock } from "@orchernetes/kernel";
import { carryOutClaims } from "../ownership/carry-out-claims.ts";
import { planClaims } from "../ownership/claims.ts";
import { ownedAndOrphans } from "../ownership/owner-index.ts";
import type { WorkQueue } from "../queue/work-queue.ts";
import type { Expectations } from "./expectations.ts";
import { type ActionOutcome, type RunOptions, runKeys } from "./loop.ts";
import { type Plan, sooner } from "./plan.ts";
import { lookUpOutcomes } from "./unknown-outcomes.ts";

/** An object with a status that its controller writes. */
export type Owner = ApiObject & { readonly status?: unknown };

/** A kind of dependents: objects that the owner's selector matches and that have no other controller. */
export interface Dependents<O extends Owner, D extends ApiObject> {
  /** An informer with `ownerIndexers`. */
  readonly informer: Informer<D>;
  /** Finalizers that are added to adopted objects. */
  readonly finalizers?: readonly string[];
  /** False for objects that are ignored although owner or selector match. @default all are candidates */
  isCandidate?(owner: Stored<O>, dependent: Stored<D>): boolean;
}

/** The kinds of dependents by the name under which `gather` receives them. */
export type Owned = Readonly<Record<string, ApiObject>>;

/** What the shell read and prepared for one owner. */
export interface Found<O extends Owner, D extends Owned, Prepared> {
  readonly owner: Stored<O>;
  readonly key: string;
  /** Whether all earlier creations and deletions are visible in the caches; if not, the plan must not create or delete. */
  readonly settled: boolean;
  readonly owned: { readonly [N in keyof D]: readonly Stored<D[N]>[] };
  readonly prepared: Prepared;
}

/** A loop over objects that own others. */
export interface OwnerLoop<O extends Owner, D extends Owned, State, Action, Status, Prepared = undefined> {
  /** The keys of the owners. */
  readonly queue: WorkQueue;
  readonly workers: number;
  /** Retries of a plan that fails, before the key is dropped until its next event. @default no limit */
  readonly maxRetries?: number;
  readonly owners: Informer<O>;
  /** The kind of the owners in owner references and events. @default that of the informer */
  readonly ownerRef?: ResourceRef<O>;
  /** Converts the cached object to the form that the controller works on. @default the object itself */
  read?(cached: Stored<O>): Stored<O>;
  selectorOf(owner: Stored<O>): Selector;
  readonly dependents: { readonly [N in keyof D]: Dependents<O, D[N]> };
  readonly expectations?: Expectations;
  /** Returns a value for owners that are left alone, with the warning event to record, if any. @default none are refused */
  refuse?(owner: Stored<O>): { readonly warning?: { readonly reason: string; readonly message: string } } | undefined;
  /** Writes what the decision depends on, such as the ControllerRevision of a template. */
  prepare?(owner: Stored<O>, owned: Found<O, D, Prepared>["owned"]): Promise<Prepared>;
  /** Reads everything on which the decision depends. It must not write. */
  gather(found: Found<O, D, Prepared>): State;
  /** The decision. Pure: depends on its arguments alone. */
  reconcile(state: State, now: Date): Plan<Action>;
  carryOut(actions: readonly Action[], state: State, key: string): Promise<ActionOutcome>;
  /** The owner's new status after the plan, also after one that failed. Returning the same value means that nothing is written. */
  status?(state: State, failure: unknown, now: Date): Status;
  /** Actions that follow the write of the status; skipped after a failure. */
  afterwards?(state: State, status: Status): readonly Action[];
  /** Milliseconds after which an unchanged owner may need another decision. */
  againMs?(state: State, status: Status): number | undefined;
}

/** What an owner's loop works with. */
export interface OwnerLoopContext extends RunOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
}

/**
 * Runs a loop over owners until the signal aborts. For each key, in this order: adopt and release dependents, prepare, gather,
 * reconcile, carry out, write the status, run the final actions. The status is also written after a plan that failed, which is
 * then retried with an exponential delay. The key is requeued when its expectations expire.
 */
export function runOwnerLoop<O extends Owner, D extends Owned, State, Action, Status, Prepared>(
  loop: OwnerLoop<O, D, State, Action, Status, Prepared>,
  context: OwnerLoopContext,
): Promise<void> {
  return runKeys<string>(loop, context, (key) => syncOwner(loop, context, key));
}

async function syncOwner<O extends Owner, D extends Owned, State, Action, Status, Prepared>(
  loop: OwnerLoop<O, D, State, Action, Status, Prepared>,
  context: OwnerLoopContext,
  key: string,
): Promise<number | undefined> {
  const { expectations, ownerRef = loop.owners.ref } = loop;
  const { client, recorder, clock = systemClock } = context;
  const cached = loop.owners.lister.byKey(key);
  if (cached === undefined) {
    expectations?.delete(key);
    return undefined;
  }
  const owner = loop.read?.(cached) ?? cached;
  const refusal = loop.refuse?.(owner);
  if (refusal !== undefined) {
    const { warning } = refusal;
    if (warning !== undefined) {
      recorder.event(referenceTo(ownerRef, owner), "Warning", warning.reason, warning.message);
    }
    return undefined;
  }
  const selector = loop.selectorOf(owner);
  const lookAgainMs =
    expectations &&
    (await lookUpOutcomes({
      ...{ expectations, key, client, owner, selector },
      informers: Object.values(loop.dependents).map(({ informer }) => informer),
    }));
  // Checked before the caches are read: the other order could combine "settled" with an older state of the cache.
  const settled = expectations?.satisfied(key) ?? true;
  const owned = await claimAll(loop, client, owner);
  // Without `prepare` the type `Prepared` is undefined.
  const prepared = (await loop.prepare?.(owner, owned)) as Prepared;
  const state = loop.gather({ owner, key, settled, owned, prepared });
  let failure: unknown;
  let againMs: number | undefined;
  try {
    const plan = loop.reconcile(state, clock.now());
    const askedMs = plan.actions.length === 0 ? undefined : await loop.carryOut(plan.actions, state, key);
    againMs = sooner(plan.requeueAfterMs, askedMs ?? undefined);
  } catch (error) {
    failure = error;
  }
  if (loop.status !== undefined) {
    const status = loop.status(state, failure, clock.now());
    if (status !== owner.status) await client.resource(ownerRef).updateStatus({ ...cached, status });
    if (failure === undefined) {
      const tidying = loop.afterwards?.(state, status) ?? [];
      if (tidying.length > 0) await loop.carryOut(tidying, state, key);
      againMs = sooner(againMs, loop.againMs?.(state, status));
    }
  }
  if (failure !== undefined) throw failure;
  return sooner(againMs, lookAgainMs ?? expectations?.expiresInMs(key));
}

/** Adopts and releases dependents of every kind; resolves with those that are owned afterwards. */
async function claimAll<O extends Owner, D extends Owned, State, Action, Status, Prepared>(
  loop: OwnerLoop<O, D, State, Action, Status, Prepared>,
  client: Client,
  owner: Stored<O>,
): Promise<Found<O, D, Prepared>["owned"]> {
  const selector = loop.selectorOf(owner);
  const { ownerRef = loop.owners.ref } = loop;
  const owned: Partial<Record<keyof D, readonly Stored<ApiObject>[]>> = {};
  for (const name of Object.keys(loop.dependents) as (keyof D)[]) {
    const { informer, finalizers, isCandidate } = loop.dependents[name];
    const candidates = ownedAndOrphans(informer.lister, owner);
    const claims = planClaims(
      owner,
      selector,
      isCandidate === undefined ? candidates : candidates.filter((candidate) => isCandidate(owner, candidate)),
    );
    owned[name] = await carryOutClaims(claims, {
      client,
      ownerRef,
      owner,
      ref: informer.ref,
      ...(finalizers === undefined ? {} : { finalizers }),
    });
  }
  return owned as Found<O, D, Prepared>["owned"];
}
