/** The text of whatever was thrown: the message of an `Error` without its name and cause, and any other value as a string. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
