/**
 * Longest time for a write of one object, in milliseconds: the longest time of a webhook and four seconds, as upstream
 * (requestTimeoutUpperBound). Everything a write waits for, such as a webhook, gets the remaining time as its own
 * limit.
 */
const MAX_WRITE_MS = 34_000;

/** When the time of a write is over that began at `now`, within that of its request; in milliseconds since 1970. */
export const writeDeadlineMs = (requestDeadlineMs: number | undefined, now: Date): number =>
  Math.min(requestDeadlineMs ?? Number.POSITIVE_INFINITY, now.getTime() + MAX_WRITE_MS);
