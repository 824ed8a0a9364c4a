import type { EventLoop } from "./event-loop.ts";

/** Runs each step of long work in a turn of its own, and resolves with the result. A step is the code up to the next `yield`. */
export async function inTurns<T>(loop: EventLoop, steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await loop.nextTurn();
  }
}

/** Runs all steps of short work in the current turn, and returns the result; work that can be interrupted is not. */
export function atOnce<T>(steps: Generator<undefined, T, boolean>): T {
  for (;;) {
    const step = steps.next(false);
    if (step.done === true) return step.value;
  }
}
