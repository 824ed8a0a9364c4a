import { MAX_WINDOW } from "@orchernetes/http2";

/**
 * Flow-control window in bytes, the largest that the protocol allows: responses are read as fast as they arrive, so
 * the server need not be throttled.
 */
export const WINDOW = MAX_WINDOW;
