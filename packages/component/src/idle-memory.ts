import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { measureMemory } from "node:vm";
import { mallocTrimmer } from "./trim-malloc.ts";
import { keepUnprinted } from "./unprinted-warnings.ts";

const LOOK_EVERY_MS = 1000;
/** A second is quiet if the event loop was busy for less than this share of it. */
const QUIET_SHARE = 0.05;
const QUIET_LOOKS = 3;
const PAUSE_LOOKS = 30;
const LONG_PAUSE_LOOKS = 60;
const TRIM_LOOKS = 60;
/** Growth below which a collection is not worth its cost after a pause, in bytes. */
const MIN_GROWTH = 16 * 1024 * 1024;
/**
 * The same after a long pause: an idle process grows its heap by 8 MB in some minutes, for which there is room after
 * the start.
 */
const LITTLE_GROWTH = 4 * 1024 * 1024;
/**
 * Largest heap that is collected: up to this size no request is delayed noticeably, and a process with a larger one is
 * hardly ever idle.
 */
const MAX_HEAP = 200 * 1024 * 1024;

/** The measurements and actions of {@link releaseMemoryWhenIdle}; the defaults are those of this process. */
export interface IdleMemoryOptions {
  /** How much of the time since the last call the event loop was busy, from 0 to 1. */
  readonly busyShare?: () => number;
  /** Bytes that the heap has from the system. */
  readonly heapBytes?: () => number;
  /** Collects all garbage, and returns free memory to the system. */
  readonly collect?: () => Promise<void>;
  /** Returns the free memory of the C library to the system. */
  readonly trim?: () => void;
}

/**
 * Returns memory to the system while the process is idle. The engine keeps the memory of a start or a burst of work, because it
 * collects only when memory is allocated. Therefore, after three quiet seconds, all garbage is collected once, if the heap has
 * grown since the last time by 16 MB within at least 30 s, or by 4 MB within at least 60 s. A process that is never idle, or whose heap is over 200 MB, is
 * left to the engine.
 *
 * Once a minute, if the last three seconds were quiet, the C library returns its free memory as well, because collections that the engine
 * runs by itself leave free memory there, too.
 *
 * Collection runs in steps. In an API server with 26 to 200 MB of heap in use the longest turn of the event loop that it took was
 * 4 to 11 ms of CPU time; on a busy machine that lasts longer by the clock. Collecting at one go, as the inspector's
 * `HeapProfiler.collectGarbage` does, took 40 ms at 26 MB and 96 ms at 120 MB (ADR 15).
 *
 * @returns a function that stops it
 */
export function releaseMemoryWhenIdle({
  busyShare = eventLoopShare(),
  heapBytes = () => getHeapStatistics().total_heap_size,
  collect = collectGarbage,
  trim = mallocTrimmer(),
}: IdleMemoryOptions = {}): () => void {
  let quiet = 0;
  let waited = PAUSE_LOOKS;
  let untrimmed = 0;
  let floor = 0;
  const look = async (): Promise<void> => {
    waited++;
    const bytes = heapBytes();
    // Seconds after a collection the engine returns more: what has grown since is garbage again.
    floor = Math.min(floor, bytes);
    quiet = busyShare() < QUIET_SHARE ? quiet + 1 : 0;
    untrimmed++;
    if (quiet < QUIET_LOOKS) return;
    if (untrimmed >= TRIM_LOOKS) {
      untrimmed = 0;
      trim();
    }
    if (waited < PAUSE_LOOKS) return;
    if (bytes < floor + (waited < LONG_PAUSE_LOOKS ? MIN_GROWTH : LITTLE_GROWTH) || bytes > MAX_HEAP) return;
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

/** The warning that Node.js prints once about {@link measureMemory}, whose figures are not used. */
const isAboutFigures = ({ name, message }: Error): boolean =>
  name === "ExperimentalWarning" && message.startsWith("vm.measureMemory");

/**
 * Makes the engine collect all garbage in small steps: to measure memory it runs one such collection within ten
 * seconds, which is the only call for it without a flag. Ten to twenty seconds later, if little is allocated, the
 * engine's memory reducer runs two more by itself, which return free pages to the system.
 */
async function collectGarbage(): Promise<void> {
  const undo = keepUnprinted(isAboutFigures);
  try {
    // "eager" would finish the engine's marking in one step.
    await measureMemory({ mode: "summary", execution: "default" });
  } finally {
    undo();
  }
}
