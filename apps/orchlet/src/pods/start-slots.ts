import type { Clock } from "@orchernetes/kernel";
import { type Lane, type Limiter, limiter } from "../util/limiter.ts";

/** Time after which a start counts as hanging. Usual ones take some hundred milliseconds, those of a burst on a busy machine some seconds. */
const slowMs = 15_000;
/** How long the starts of a namespace have slots of their own after one that hung. */
const suspectMs = 5 * 60_000;

/**
 * Runs the start of a sandbox or container of a pod in this namespace when its turn comes.
 *
 * @throws the signal's reason if it aborts while the start waits; a running start is not interrupted
 */
type StartSlots = <T>(namespace: string, start: () => Promise<T>, signal: AbortSignal, lane?: Lane) => Promise<T>;

/** What the starts of a namespace in which one hung share. */
interface OwnSlots {
  readonly inTurn: Limiter;
  readonly untilMs: number;
}

/**
 * Creates a function that runs at most `most` starts at a time. A start can hang until the runtime's time limit, for example one whose user
 * is looked up in a FIFO that its pod mounts as /etc/passwd: it gives its slot back. For a while, its namespace has slots of its own, so that
 * many such pods do not delay the pods of others. In the original, no start waits for others.
 */
export function createStartSlots(most: number, clock: Pick<Clock, "monotonicMs" | "setTimeout">): StartSlots {
  const inTurn = limiter(most);
  const suspects = new Map<string, OwnSlots>();
  const waiting = new Set<{ readonly namespace: string; readonly leave: AbortController }>();

  const suspect = (namespace: string): void => {
    const nowMs = clock.monotonicMs();
    for (const [other, { untilMs }] of suspects) if (untilMs <= nowMs) suspects.delete(other);
    const own = suspects.get(namespace)?.inTurn ?? limiter(most);
    suspects.set(namespace, { inTurn: own, untilMs: nowMs + suspectMs });
    for (const one of waiting) if (one.namespace === namespace) one.leave.abort();
  };

  const slotsOf = (namespace: string): Limiter | undefined => {
    const own = suspects.get(namespace);
    return own !== undefined && own.untilMs > clock.monotonicMs() ? own.inTurn : undefined;
  };

  /** Resolves when the start has ended, or hangs. */
  const endOrHang = async (namespace: string, running: Promise<unknown>): Promise<void> => {
    const hangs = Promise.withResolvers<void>();
    const timer = clock.setTimeout(() => {
      suspect(namespace);
      hangs.resolve();
    }, slowMs);
    // Whoever has asked for the start gets its error.
    await Promise.race([running.catch(() => undefined), hangs.promise]);
    timer.clear();
  };

  return async (namespace, start, signal, lane) => {
    /** Holds a slot until the start has ended or hangs. */
    const begin = async () => {
      const running = start();
      await endOrHang(namespace, running);
      return { running };
    };
    const own = slotsOf(namespace);
    if (own !== undefined) return (await own(begin, signal, lane)).running;
    const entry = { namespace, leave: new AbortController() };
    waiting.add(entry);
    const beginShared = () => {
      waiting.delete(entry);
      return begin();
    };
    try {
      return (await inTurn(beginShared, AbortSignal.any([signal, entry.leave.signal]), lane)).running;
    } catch (error) {
      if (signal.aborted || !entry.leave.signal.aborted) throw error;
    } finally {
      waiting.delete(entry);
    }
    return (await (slotsOf(namespace) ?? inTurn)(begin, signal, lane)).running;
  };
}
