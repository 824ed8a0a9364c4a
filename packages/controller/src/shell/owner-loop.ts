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

/** An object with a status that its controller writes. */
export type Owner = ApiObject & { readonly status?: unknown };

/** A kind of objects that owners own: those that their selector matches and that nobody else controls. */
export interface Dependents<O extends Owner, D extends ApiObject> {
  /** With `ownerIndexers`. */
  readonly informer: Informer<D>;
  /** Finalizers that adopted objects get. */
  readonly finalizers?: readonly string[];
  /** Objects to leave alone, though owner and selector say otherwise. @default all count */
  isCandidate?(owner: Stored<O>, dependent: Stored<D>): boolean;
}

/** Dependents by name, as `gather` is given them. */
export type Owned = Readonly<Record<string, ApiObject>>;

/** What the shell found about one owner. */
export interface Found<O extends Owner, D extends Owned, Prepared> {
  readonly owner: Stored<O>;
  readonly key: string;
  /** Whether all that was created and deleted before shows in the caches. */
  readonly settled: boolean;
  readonly owned: { readonly [N in keyof D]: readonly Stored<D[N]>[] };
  readonly prepared: Prepared;
}

/** A loop over objects that own others. */
export interface OwnerLoop<O extends Owner, D extends Owned, State, Action, Status, Prepared = undefined> {
  /** Keys of owners. */
  readonly queue: WorkQueue;
  readonly workers: number;
  /** @default without limit */
  readonly maxRetries?: number;
  readonly owners: Informer<O>;
  /** Under which kind owners are named in references and events. @default the informer's */
  readonly ownerRef?: ResourceRef<O>;
  /** The cached object as the controller understands it. @default the object */
  read?(cached: Stored<O>): Stored<O>;
  selectorOf(owner: Stored<O>): Selector;
  readonly dependents: { readonly [N in keyof D]: Dependents<O, D[N]> };
  readonly expectations?: Expectations;
  /** Owners that are left alone, with a warning for them if there is one. @default none */
  refuse?(owner: Stored<O>): { readonly warning?: { readonly reason: string; readonly message: string } } | undefined;
  /** Writes what the decision builds on, such as the revision of a template. */
  prepare?(owner: Stored<O>, owned: Found<O, D, Prepared>["owned"]): Promise<Prepared>;
  /** All that the decision depends on. Reads only. */
  gather(found: Found<O, D, Prepared>): State;
  /** The decision. Pure: depends on its arguments alone. */
  reconcile(state: State, now: Date): Plan<Action>;
  carryOut(actions: readonly Action[], state: State, key: string): Promise<ActionOutcome>;
  /** The owner's status after the plan, also after a plan that failed; the same value when nothing is to be written. */
  status?(state: State, failure: unknown, now: Date): Status;
  /** What to do once the status is written; not done after a failure. */
  afterwards?(state: State, status: Status): readonly Action[];
  /** Milliseconds until the owner, unchanged, may want another decision. */
  againMs?(state: State, status: Status): number | undefined;
}

/** What an owner's loop works with. */
export interface OwnerLoopContext extends RunOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
}

/**
 * Runs a loop over owners until the signal aborts. Per key, in this order: adopt and release dependents, prepare, gather,
 * reconcile, carry out, write the status, tidy up. A plan that fails has its status written all the same, and is then tried
 * again with growing delays. The key comes again when its expectations expire.
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
  // Asked before the caches are read: what they show later is not older.
  const settled = expectations?.satisfied(key) ?? true;
  const owned = await claimAll(loop, client, owner);
  // Without `prepare` there is nothing prepared, and its type says so.
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
  return sooner(againMs, expectations?.expiresInMs(key));
}

/** Adopts and releases dependents of every kind; what is owned then. */
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
