/** The largest flow-control window in bytes (RFC 9113, section 6.9.1). */
export const MAX_WINDOW = 2 ** 31 - 1;
/** The initial flow-control window of both sides in bytes (RFC 9113, section 6.9.2). */
export const FIRST_WINDOW = 65_535;
