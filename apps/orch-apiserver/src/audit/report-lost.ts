import type { Clock, Logger } from "@orchernetes/kernel";
import type { ReportLost } from "./backend.ts";

/** A reason is logged once in this time, with the number of events since. */
const PAUSE_MS = 1000;

/** Parts of {@link lostEvents}. */
export interface LostEventsOptions {
  readonly count: (plugin: string, events: number) => void;
  readonly logger: Pick<Logger, "error">;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Counts events that are lost, and logs them: not each of them, because thousands may be lost in a second. */
export function lostEvents({ count, logger, clock }: LostEventsOptions): ReportLost {
  const waiting = new Map<string, { events: number; fromMs: number }>();
  return (plugin, error, events) => {
    count(plugin, events);
    const nowMs = clock.monotonicMs();
    const known = waiting.get(plugin);
    if (known !== undefined && nowMs < known.fromMs) {
      known.events += events;
      return;
    }
    logger.error(error, "Audit events were lost", { plugin, events: events + (known?.events ?? 0) });
    waiting.set(plugin, { events: 0, fromMs: nowMs + PAUSE_MS });
  };
}
