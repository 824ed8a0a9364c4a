import type { EventLoop } from "./event-loop.ts";

/** Runs the steps of long work in a turn each, and gives its result. */
export async function inTurns<T>(loop: EventLoop, steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await loop.nextTurn();
  }
}

/** Runs the steps of work that is short in one go, and gives its result. */
export function atOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
