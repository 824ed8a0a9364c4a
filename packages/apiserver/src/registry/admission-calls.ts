import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionObserver,
  AdmissionOperation,
  AdmissionOutcome,
} from "../interfaces/index.ts";

/**
 * The two phases of admission. Every `admit` (mutating) runs before any `validate`, so that validating plugins see what
 * is going to be stored: no plugin can change the object after another one has judged it.
 */
export type AdmissionPhase = "admit" | "validate";

/** Admits one write; throws to deny it. Returns a promise only if it has to wait. */
export type AdmissionCall<A extends Omit<AdmissionAttributes, "object">> = (
  attributes: A,
  context: AdmissionContext,
) => AdmissionOutcome | Promise<AdmissionOutcome>;

/** Measures one phase of one operation. */
export interface PhaseMeter {
  /** Reads a clock that never runs backwards, in milliseconds. */
  nowMs(): number;
  readonly phase: AdmissionObserver;
  /** One for each plugin, in their order. */
  readonly plugins: readonly AdmissionObserver[];
}

/** Measures admission. */
export interface AdmissionMeter {
  /** Called once for each phase and operation, when the chain is built. @param plugins names, in their order */
  of(phase: AdmissionPhase, operation: AdmissionOperation, plugins: readonly string[]): PhaseMeter;
}

/** Measures nothing. */
export const noMeter: AdmissionMeter = {
  of: (_phase, _operation, plugins) => ({ nowMs: () => 0, phase: () => {}, plugins: plugins.map(() => () => {}) }),
};

type Outcome = undefined | "again";
type Answer = Outcome | Promise<AdmissionOutcome>;

/**
 * Calls plugins one after the other, and measures each of them and the phase. If a plugin returns "again", all are called a second time,
 * and never a third. Most plugins return synchronously, and those take no turn of the microtask queue.
 *
 * The clock is read once between two plugins: when one ends, the next one begins. A write passes about two dozen plugins, and most return
 * faster than the clock is read; so they are measured in this loop, and not by a wrapper around each.
 */
export function callsInOrder<A extends Omit<AdmissionAttributes, "object">>(
  calls: readonly AdmissionCall<A>[],
  meter: PhaseMeter,
): AdmissionCall<A> {
  return (attributes, context) => {
    const startMs = meter.nowMs();
    let lastMs = startMs;
    const passed = (i: number, rejected: boolean): void => {
      const nowMs = meter.nowMs();
      meter.plugins[i]?.((nowMs - lastMs) / 1000, rejected);
      lastMs = nowMs;
    };
    /** Calls the plugins from index `from` on. @param before result of those before it */
    const round = (from: number, before: Outcome): Answer => {
      let outcome = before;
      let i = from;
      try {
        for (; i < calls.length; i++) {
          const asked = calls[i]?.(attributes, context);
          if (asked instanceof Promise) return later(asked, i, outcome);
          passed(i, false);
          if (asked === "again") outcome = asked;
        }
      } catch (error) {
        passed(i, true);
        throw error;
      }
      return outcome;
    };
    const later = async (asked: Promise<AdmissionOutcome>, i: number, before: Outcome): Promise<AdmissionOutcome> => {
      let late: AdmissionOutcome;
      try {
        late = await asked;
      } catch (error) {
        passed(i, true);
        throw error;
      }
      passed(i, false);
      return round(i + 1, late === "again" ? late : before);
    };
    const ended = (rejected: boolean): void => meter.phase((lastMs - startMs) / 1000, rejected);
    try {
      const answer = twice(() => round(0, undefined));
      if (answer instanceof Promise) return watched(answer, ended);
      ended(false);
      return answer;
    } catch (error) {
      ended(true);
      throw error;
    }
  };
}

/** Runs a round of plugins, and a second one if the first says so. */
function twice(round: () => Answer): Answer {
  const first = round();
  if (first === undefined) return undefined;
  if (!(first instanceof Promise)) return round();
  return first.then((outcome) => (outcome === "again" ? round() : undefined));
}

/** Reports whether a promise was rejected, and passes it on. */
function watched<T>(promise: Promise<T>, ended: (rejected: boolean) => void): Promise<T> {
  return promise.then(
    (value) => {
      ended(false);
      return value;
    },
    (error: unknown) => {
      ended(true);
      throw error;
    },
  );
}
