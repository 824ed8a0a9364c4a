import type { Registry } from "@orchernetes/apiserver";
import type { Logger } from "@orchernetes/kernel";
import type { ServiceEvent } from "./record-event.ts";

/** Where problems are told. */
export interface ProblemReportOptions {
  readonly logger: Pick<Logger, "warn" | "error">;
  readonly recordEvent: (registry: Registry, event: ServiceEvent) => Promise<void>;
  readonly now: () => number;
}

/** A problem that persists is reported again after this time, when the first event has expired. */
const REPORT_AGAIN_MS = 3_600_000;

/** Tells the problems of services, in the log and as events; one that persists once an hour. */
export class ProblemReports {
  readonly #options: ProblemReportOptions;
  readonly #reported = new Map<string, number>();

  constructor(options: ProblemReportOptions) {
    this.#options = options;
  }

  /** Logs a problem and returns what records its event, unless it was reported recently. @param problem tells it from others of the service */
  report(problem: string, event: ServiceEvent): ((registry: Registry) => Promise<void>) | undefined {
    const { logger, now, recordEvent } = this.#options;
    const { namespace, name, uid = "" } = event.service.metadata;
    const key = `${uid} ${problem}`;
    if (now() - (this.#reported.get(key) ?? Number.NEGATIVE_INFINITY) < REPORT_AGAIN_MS) return undefined;
    this.#reported.set(key, now());
    logger.warn(event.message, { namespace, name, reason: event.reason });
    return async (registry) => {
      try {
        await recordEvent(registry, event);
      } catch (error) {
        logger.error(error, "Failed to record an event about the allocations of a service");
        this.#reported.delete(key);
      }
    };
  }

  /** Forgets what may be reported again. */
  expire(): void {
    const { now } = this.#options;
    for (const [key, at] of this.#reported) if (now() - at >= REPORT_AGAIN_MS) this.#reported.delete(key);
  }
}
