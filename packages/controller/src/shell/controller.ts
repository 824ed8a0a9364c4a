import type { ApiObject } from "@orchernetes/apimachinery";
import type { Client, EventRecorder, Indexers, Informer, InformerFactory, ResourceRef } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { QueueMetrics } from "../queue/queue-metrics.ts";
import { WorkQueue } from "../queue/work-queue.ts";
import { Expectations } from "./expectations.ts";
import { type Loop, runLoop } from "./loop.ts";
import { type Owned, type Owner, type OwnerLoop, runOwnerLoop } from "./owner-loop.ts";

/** What a controller is given when it starts; daemons may add to it. */
export interface ControllerContext {
  /** Under the controller's own name, with its own rate limit. */
  readonly client: Client;
  /** Shared by all controllers; those asked for run and sync after the controllers have started. */
  readonly informers: InformerFactory;
  /** Records events in the controller's name. */
  readonly recorder: EventRecorder;
  readonly queueMetrics: QueueMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Ends the controller. */
  readonly signal: AbortSignal;
}

/**
 * What a controller is put together from. It declares informers, queues, loops and work beside them; the shell runs them in
 * the right order.
 */
export class ControllerShell<C extends ControllerContext = ControllerContext> {
  readonly name: string;
  readonly context: C;
  readonly #informers = new Set<{ waitForSync(signal: AbortSignal): Promise<void> }>();
  readonly #before: (() => Promise<void>)[] = [];
  readonly #running: (() => Promise<void>)[] = [];
  readonly #after: (() => Promise<void>)[] = [];

  constructor(name: string, context: C) {
    this.name = name;
    this.context = context;
  }

  /** The shared informer of a resource. Nothing is decided before it has synced. */
  informer<T extends ApiObject>(ref: ResourceRef<T>, indexers?: Indexers<T>): Informer<T> {
    const informer = this.context.informers.informer(ref, indexers);
    this.#informers.add(informer);
    return informer;
  }

  /** A queue whose metrics bear its name. */
  queue<K = string>(name: string): WorkQueue<K> {
    const { clock, queueMetrics } = this.context;
    return new WorkQueue<K>({ name, clock, metrics: queueMetrics });
  }

  expectations(): Expectations {
    return new Expectations(this.context.clock);
  }

  /** Works on the keys of a queue. */
  loop<State, Action, K = string>(loop: Loop<State, Action, K>): void {
    this.#running.push(() => runLoop(loop, { ...this.context, name: this.name }));
  }

  /** Works on objects that own others. */
  ownerLoop<O extends Owner, D extends Owned, State, Action, Status = undefined, Prepared = undefined>(
    loop: OwnerLoop<O, D, State, Action, Status, Prepared>,
  ): void {
    this.#running.push(() => runOwnerLoop(loop, { ...this.context, name: this.name }));
  }

  /** Work that is done again and again, `periodMs` after it ended. What it throws ends the controller. */
  every(periodMs: number, work: () => Promise<void> | void, options: { readonly atOnce?: boolean } = {}): void {
    const { clock, signal } = this.context;
    this.#running.push(async () => {
      if (options.atOnce && !signal.aborted) await work();
      for (;;) {
        await clock.sleep(periodMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        await work();
      }
    });
  }

  /** Work beside the loops, until the signal aborts. What it throws ends the controller. */
  task(work: (signal: AbortSignal) => Promise<void>): void {
    this.#running.push(() => work(this.context.signal));
  }

  /** Work after the informers have synced and before anything else. */
  before(work: (signal: AbortSignal) => Promise<void>): void {
    this.#before.push(() => work(this.context.signal));
  }

  /** Work once everything else has ended. */
  after(work: () => Promise<void>): void {
    this.#after.push(work);
  }

  /** Informers synced, then preparations in order, then loops and tasks together, then the rest. */
  async run(): Promise<void> {
    const { signal } = this.context;
    await Promise.all([...this.#informers].map((informer) => informer.waitForSync(signal)));
    for (const work of this.#before) await work();
    await Promise.all(this.#running.map((work) => work()));
    for (const work of this.#after) await work();
  }
}

/**
 * Runs a controller until the context's signal aborts. `build` is called before the first await, so that the shared
 * informers may start right after this returns its promise.
 *
 * @throws Error what building it, or work that may not fail, threw
 */
export async function runController<C extends ControllerContext>(
  name: string,
  context: C,
  build: (shell: ControllerShell<C>) => void,
): Promise<void> {
  const shell = new ControllerShell(name, context);
  build(shell);
  await shell.run();
}
