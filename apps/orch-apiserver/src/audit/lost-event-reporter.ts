import type { Clock, Logger } from "@orchernetes/kernel";
import type { ReportLost } from "./backend.ts";

/** Losses of one plugin are logged once in this time, in milliseconds, with the number of events since the last line. */
const PAUSE_MS = 1000;

/** Options of {@link lostEventReporter}. */
export interface LostEventReporterOptions {
  /** Counts lost events in `apiserver_audit_error_total`. */
  readonly count: (plugin: string, events: number) => void;
  readonly logger: Pick<Logger, "error">;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * Creates what counts and logs lost events. Every loss is counted, but not every one is logged: a backend that is down can lose thousands
 * of events in a second.
 */
export function lostEventReporter({ count, logger, clock }: LostEventReporterOptions): ReportLost {
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
