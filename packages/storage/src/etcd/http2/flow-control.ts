/**
 * Flow-control window in bytes, the largest that the protocol allows: responses are read as fast as they arrive, so
 * the server need not be throttled.
 */
export const WINDOW = 2 ** 31 - 1;
/** The initial flow-control window of both sides in bytes (RFC 9113, section 6.9.2). */
export const FIRST_WINDOW = 65_535;
/** Received bytes after which a WINDOW_UPDATE is sent. */
export const WINDOW_UPDATE_BYTES = 8 << 20;
