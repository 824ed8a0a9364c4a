/** Longest delay until something is looked at again, in milliseconds: timers of years overflow. */
export const LONGEST_DELAY_MS = 24 * 3_600_000;
