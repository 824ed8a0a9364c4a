/** Longest text of an event that the server accepts. */
const MAX_LENGTH = 1024;
const SUFFIX = " ...";

/** The text of an event about a failed attempt: cut as in the original. The condition of the pod has the whole text. */
export const eventNote = (message: string): string =>
  message.length <= MAX_LENGTH ? message : `${message.slice(0, MAX_LENGTH - SUFFIX.length)}${SUFFIX}`;
