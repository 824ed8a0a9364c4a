import type { ApiObject } from "@orchernetes/apimachinery";
import {
  type Client,
  createInformer,
  type EventRecorder,
  type Indexers,
  type Informer,
  type InformerFactory,
  type ReflectorOptions,
  type ResourceRef,
} from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { QueueMetrics } from "../queue/queue-metrics.ts";
import { createItemRateLimiter, type ItemRateLimiterOptions } from "../queue/rate-limit.ts";
import { WorkQueue } from "../queue/work-queue.ts";
import { Expectations } from "./expectations.ts";
import { type Loop, runLoop } from "./loop.ts";
import { type Owned, type Owner, type OwnerLoop, runOwnerLoop } from "./owner-loop.ts";

/** What a daemon passes to a controller when it starts; daemons may extend it. */
export interface ControllerContext {
  /** A client with the controller's own user agent and rate limit. */
  readonly client: Client;
  /** The informers that all controllers share; they run and sync after the controllers have been built. */
  readonly informers: InformerFactory;
  /** Records events with the controller as their source. */
  readonly recorder: EventRecorder;
  readonly queueMetrics: QueueMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Stops the controller when it aborts. */
  readonly signal: AbortSignal;
}

/**
 * Collects the parts of a controller. The controller declares its informers, queues, loops and other work; the shell starts and
 * stops them in the right order.
 */
export class ControllerShell<C extends ControllerContext = ControllerContext> {
  readonly name: string;
  readonly context: C;
  readonly #informers = new Set<{ waitForSync(signal: AbortSignal): Promise<void> }>();
  readonly #own: (() => Promise<void>)[] = [];
  readonly #before: (() => Promise<void>)[] = [];
  readonly #running: (() => Promise<void>)[] = [];
  readonly #after: (() => Promise<void>)[] = [];

  constructor(name: string, context: C) {
    this.name = name;
    this.context = context;
  }

  /** Returns the shared informer of a resource. No loop or task starts before it has synced. */
  informer<T extends ApiObject>(ref: ResourceRef<T>, indexers?: Indexers<T>): Informer<T> {
    const informer = this.context.informers.informer(ref, indexers);
    this.#informers.add(informer);
    return informer;
  }

  /**
   * Creates an informer of some objects of a resource, which the controller reads with its own client and does not share. No loop
   * or task starts before it has synced.
   */
  ownInformer<T extends ApiObject>(
    ref: ResourceRef<T>,
    selection: Pick<ReflectorOptions, "namespace" | "fieldSelector" | "labelSelector">,
  ): Informer<T> {
    const { client, logger, clock, signal } = this.context;
    const informer = createInformer(client, ref, { ...selection, logger, clock });
    this.#informers.add(informer);
    this.#own.push(() => informer.run(signal));
    return informer;
  }

  /** Creates a queue; `name` is the label of its metrics. `limits` say how long keys that failed wait. */
  queue<K = string>(name: string, limits: Omit<ItemRateLimiterOptions, "clock"> = {}): WorkQueue<K> {
    const { clock, queueMetrics } = this.context;
    const rateLimiter = createItemRateLimiter<K>({ ...limits, clock });
    return new WorkQueue<K>({ name, clock, metrics: queueMetrics, rateLimiter });
  }

  /** Creates expectations that use the clock of the context. */
  expectations(): Expectations {
    return new Expectations(this.context.clock);
  }

  /** Adds a loop that works on the keys of a queue. */
  loop<State, Action, K = string>(loop: Loop<State, Action, K>): void {
    this.#running.push(() => runLoop(loop, { ...this.context, name: this.name }));
  }

  /** Adds a loop that works on objects that own others. */
  ownerLoop<O extends Owner, D extends Owned, State, Action, Status = undefined, Prepared = undefined>(
    loop: OwnerLoop<O, D, State, Action, Status, Prepared>,
  ): void {
    this.#running.push(() => runOwnerLoop(loop, { ...this.context, name: this.name }));
  }

  /** Adds periodic work: it is repeated `periodMs` milliseconds after it ended. An error ends the controller. */
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

  /** Adds work that runs beside the loops until the signal aborts. An error ends the controller. */
  task(work: (signal: AbortSignal) => Promise<void>): void {
    this.#running.push(() => work(this.context.signal));
  }

  /** Adds work that runs after the informers have synced and before anything else. An error ends the controller. */
  before(work: (signal: AbortSignal) => Promise<void>): void {
    this.#before.push(() => work(this.context.signal));
  }

  /** Adds work that runs once everything else has ended. */
  after(work: () => Promise<void>): void {
    this.#after.push(work);
  }

  /** Waits for the informers, runs the preparations in order, then all loops and tasks together, then the work of {@link after}. */
  async run(): Promise<void> {
    const { signal } = this.context;
    const following = this.#own.map((run) => run());
    await Promise.all([...this.#informers].map((informer) => informer.waitForSync(signal)));
    for (const work of this.#before) await work();
    await Promise.all([...following, ...this.#running.map((work) => work())]);
    for (const work of this.#after) await work();
  }
}

/**
 * Runs a controller until the context's signal aborts. `build` is called before the first await, so that the shared
 * informers may start right after this returns its promise.
 *
 * @throws the error of `build`, or of work that may not fail
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
