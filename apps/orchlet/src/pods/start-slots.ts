import type { Clock } from "@orchernetes/kernel";
import { type Lane, limiter } from "../util/limiter.ts";

/** Time after which a start counts as hanging. Usual ones take some hundred milliseconds, those of a burst on a busy machine some seconds. */
const slowMs = 15_000;
/** How long the starts of a namespace take no slots after one that hung. */
const suspectMs = 5 * 60_000;

/**
 * Runs the start of a sandbox or container of a pod in this namespace when its turn comes.
 *
 * @throws the signal's reason if it aborts while the start waits; a running start is not interrupted
 */
type StartSlots = <T>(namespace: string, start: () => Promise<T>, signal: AbortSignal, lane?: Lane) => Promise<T>;

/**
 * Creates a function that runs at most `most` starts at a time. A start can hang until the runtime's time limit, for example one whose user
 * is looked up in a FIFO that its pod mounts as /etc/passwd: it gives its slot back. For a while, other starts of its namespace take no slot
 * at all, so that a namespace with many such pods does not delay the pods of others. In the original, no start waits for others.
 */
export function createStartSlots(most: number, clock: Pick<Clock, "monotonicMs" | "setTimeout">): StartSlots {
  const inTurn = limiter(most);
  const suspectUntilMs = new Map<string, number>();
  const waiting = new Set<{ readonly namespace: string; readonly leave: AbortController }>();

  const suspect = (namespace: string): void => {
    const nowMs = clock.monotonicMs();
    for (const [other, untilMs] of suspectUntilMs) if (untilMs <= nowMs) suspectUntilMs.delete(other);
    suspectUntilMs.set(namespace, nowMs + suspectMs);
    for (const one of waiting) if (one.namespace === namespace) one.leave.abort();
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
    signal.throwIfAborted();
    if ((suspectUntilMs.get(namespace) ?? 0) > clock.monotonicMs()) return start();
    const entry = { namespace, leave: new AbortController() };
    waiting.add(entry);
    let running: ReturnType<typeof start> | undefined;
    const begin = (): Promise<void> => {
      waiting.delete(entry);
      running = start();
      return endOrHang(namespace, running);
    };
    try {
      await inTurn(begin, AbortSignal.any([signal, entry.leave.signal]), lane);
    } catch (error) {
      if (signal.aborted || !entry.leave.signal.aborted) throw error;
    } finally {
      waiting.delete(entry);
    }
    return running ?? start();
  };
}
