import { performance } from "node:perf_hooks";
import { measureMemory } from "node:vm";

const LOOK_EVERY_MS = 1000;
/** A second of which the event loop was busy for less than this part is quiet. */
const QUIET_SHARE = 0.05;
const QUIET_LOOKS = 3;
const PAUSE_LOOKS = 30;
/** Less is not worth the trouble. */
const MIN_GROWTH = 16 * 1024 * 1024;
/** Nobody is served while all is collected, and that takes twice as long for twice as much. */
const MAX_HEAP = 80 * 1024 * 1024;

/** What {@link releaseMemoryWhenIdle} looks at and does; the defaults are those of this process. */
export interface IdleMemoryOptions {
  /** How much of the time since the last call the event loop was busy, from 0 to 1. */
  readonly busyShare?: () => number;
  /** Bytes that the heap has from the system. */
  readonly heapBytes?: () => number;
  /** Collects all garbage and gives what is free back to the system. */
  readonly collect?: () => Promise<void>;
}

/**
 * Gives memory back when nothing happens. The engine keeps what a start or a burst of work took until the next one needs it,
 * since it only collects when somebody allocates. So after three quiet seconds all garbage is collected once, if the heap has
 * grown by 16 MB since the last time, and at most every 30 s. A process that is never idle, or whose heap is over 80 MB, is
 * left to the engine, which marks in steps.
 *
 * @returns ends it
 */
export function releaseMemoryWhenIdle({
  busyShare = eventLoopShare(),
  heapBytes = () => process.memoryUsage().heapTotal,
  collect = collectGarbage,
}: IdleMemoryOptions = {}): () => void {
  let quiet = 0;
  let waited = PAUSE_LOOKS;
  let floor = 0;
  const look = async (): Promise<void> => {
    waited++;
    quiet = busyShare() < QUIET_SHARE ? quiet + 1 : 0;
    if (quiet < QUIET_LOOKS || waited < PAUSE_LOOKS) return;
    const bytes = heapBytes();
    if (bytes < floor + MIN_GROWTH || bytes > MAX_HEAP) return;
    waited = 0;
    try {
      await collect();
    } catch {
      // Then the memory stays.
    }
    floor = heapBytes();
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function eventLoopShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    return utilization;
  };
}

/**
 * Makes the engine collect all garbage in small steps. No call asks for just that without a flag, but to measure memory it
 * begins one such collection; some ten seconds after it, if little is allocated meanwhile, its memory reducer does two more by
 * itself, which give free pages back to the system.
 */
async function collectGarbage(): Promise<void> {
  const { emitWarning } = process;
  // Node warns once that the figures are experimental; nobody looks at them.
  process.emitWarning = () => undefined;
  let collected: Promise<unknown>;
  try {
    collected = measureMemory({ mode: "summary", execution: "eager" });
  } finally {
    process.emitWarning = emitWarning;
  }
  await collected;
}
