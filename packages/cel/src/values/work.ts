import type { Outcome } from "./value.ts";

/**
 * Work over what lies in a value, which can be done in parts. The caller decides between parts whether to pause, to charge, or to give up;
 * the work itself knows neither the clock nor the limit.
 */
export interface Work<T> {
  /** Goes on until it has done so much more, in the unit of `done`. @returns undefined if it is not finished then */
  advance(amount: number): T | undefined;
  /** How much was done: 1 is a character or a value inside of an item, {@link itemWork} an item of the list that it is about. */
  readonly done: number;
}

/** The work of reading an item of a list: as much as ten characters, which at their price is one unit of cost. */
export const itemWork = 10;

/** Reading an item of a list, and all of it if it is a text. */
export const textWork = (item: Outcome): number =>
  typeof item === "string" || item instanceof Uint8Array ? itemWork * (1 + Math.ceil(item.length / 10)) : itemWork;
