import type { Logger } from "@orchernetes/kernel";
import { ChangeHub } from "../change-hub.ts";
import { StoreError } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Change, ChangeSink, Subscription } from "../store.ts";
import { CatchUp } from "./catch-up.ts";
import { ChangeStream } from "./change-stream.ts";
import type { KeySpace } from "./key-space.ts";
import type { EtcdTransport } from "./transport.ts";

/** Milliseconds between attempts to open the stream; the delay doubles from the first to the second. */
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2000;
/** Milliseconds within which the stream must deliver a revision that etcd is known to have reached. */
const STALL_MS = 2000;

/** The options of a {@link SharedStream}. */
export interface SharedStreamOptions {
  readonly transport: Pick<EtcdTransport, "watch" | "failed">;
  readonly keys: KeySpace;
  /** Changes after this revision are delivered. */
  readonly after: Revision;
  /** A linearizable read of the latest revision, where the stream starts again after a compaction. */
  readonly latest: () => Promise<Revision>;
  readonly logger: Logger;
}

/**
 * The stream of changes that all subscribers share: etcd sends each change once, however many resources are watched.
 * When it breaks it is opened again on the next server, after the last revision that was received. So no change is
 * lost or duplicated, and subscribers only notice a pause.
 */
export class SharedStream {
  readonly #options: SharedStreamOptions;
  #hub: ChangeHub;
  #stream: ChangeStream | undefined;
  #backoffMs = MIN_BACKOFF_MS;
  #timer: NodeJS.Timeout | undefined;
  #stall: NodeJS.Timeout | undefined;
  /** Subscriptions that have not joined the hub; they have separate streams and timers. */
  readonly #catchingUp = new Set<CatchUp>();
  /** Changes that were received and not published, up to a revision. */
  #received: Change[] = [];
  #receivedTo = asRevision(0);
  #closed = false;

  constructor(options: SharedStreamOptions) {
    this.#options = options;
    this.#hub = new ChangeHub(options.after);
    this.#open();
  }

  /** Every change up to this revision has been delivered. */
  get position(): Revision {
    return this.#hub.position;
  }

  subscribe(prefix: string, after: Revision, sink: ChangeSink): Subscription {
    const subscription = new CatchUp({
      transport: this.#options.transport,
      keys: this.#options.keys,
      hub: () => this.#openHub(),
      settled: () => this.#catchingUp.delete(subscription),
      prefix,
      after,
      sink,
    });
    this.#catchingUp.add(subscription);
    return subscription;
  }

  /**
   * Reports that etcd has reached `revision`. If the stream does not reach it within {@link STALL_MS}, its server
   * hangs or is partitioned from the others although the connection is alive; then the stream is opened again on the
   * next server.
   */
  expect(revision: Revision): void {
    if (this.#closed || this.#stall !== undefined || revision <= this.#hub.position || this.#stream === undefined)
      return;
    const before = this.#hub.position;
    const check = () => {
      this.#stall = undefined;
      // A stream that advances is slow, not stuck.
      if (this.#closed || this.#stream === undefined || this.#hub.position > before) return;
      this.#stream.close();
      void this.#broken(new StoreError("Unavailable", `etcd: the watch stream has stalled before ${revision}`));
    };
    // After a stall of this process, the data that arrived during it is read between the timer and the immediate.
    this.#stall = setTimeout(() => setImmediate(check), STALL_MS);
    this.#stall.unref();
  }

  /** Ends all subscriptions, without an error. Idempotent. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#stall);
    this.#stream?.close();
    this.#hub.end(undefined);
    for (const subscription of this.#catchingUp) subscription.close();
  }

  #openHub(): ChangeHub {
    if (this.#closed) throw new StoreError("Unavailable", "the etcd store is closed");
    return this.#hub;
  }

  #open(): void {
    if (this.#closed) return;
    const { transport, keys } = this.#options;
    this.#stream = new ChangeStream(transport, keys, this.#hub.position, {
      onChanges: (changes, revision) => {
        this.#backoffMs = MIN_BACKOFF_MS;
        this.#gather(changes, revision);
      },
      onEnd: (error) => void this.#broken(error),
    });
  }

  /**
   * Publishes changes once all messages of the same read from the socket have been received. A busy etcd sends ten or more revisions at
   * once, and every watcher is then written to once and not ten times. As a tick it runs before the promises that other responses of
   * this read have resolved: a writer whose event is here continues after the caches have it.
   */
  #gather(changes: readonly Change[], revision: Revision): void {
    if (this.#receivedTo === 0) process.nextTick(this.#tick);
    for (const change of changes) this.#received.push(change);
    this.#receivedTo = revision;
  }

  readonly #tick = (): void => {
    try {
      this.#publish();
    } catch (error) {
      // As a subscriber's error it has been handled before; this is a defect, after which the stream starts again.
      this.#stream?.close();
      void this.#broken(new StoreError("Unavailable", "etcd: changes could not be published", { cause: error }));
    }
  };

  #publish(): void {
    const [changes, revision] = [this.#received, this.#receivedTo];
    if (revision === 0) return;
    this.#received = [];
    this.#receivedTo = asRevision(0);
    if (!this.#closed) this.#hub.publish(changes, revision);
  }

  async #broken(error: StoreError): Promise<void> {
    const { transport, logger } = this.#options;
    this.#stream = undefined;
    // The next stream starts after what was published.
    this.#publish();
    if (this.#closed) return;
    if (error.reason === "Compacted") {
      logger.warn("etcd watch stream fell behind a compaction; subscribers start again", { err: error.message });
      await this.#restart(error);
      return;
    }
    logger.warn("etcd watch stream broke; it is opened again", { err: error.message, revision: this.position });
    transport.failed();
    this.#retry(() => this.#open());
  }

  /**
   * The history after the last revision is gone, so changes were missed: all subscriptions end with `Compacted`, and
   * the stream starts at the latest revision.
   */
  async #restart(error: StoreError): Promise<void> {
    try {
      const latest = await this.#options.latest();
      const ended = this.#hub;
      this.#hub = new ChangeHub(latest);
      ended.end(error);
      this.#open();
    } catch {
      this.#retry(() => void this.#restart(error));
    }
  }

  #retry(action: () => void): void {
    if (this.#closed) return;
    this.#timer = setTimeout(action, this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
  }
}
