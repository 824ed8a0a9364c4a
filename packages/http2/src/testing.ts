/**
 * The header decoder, for models of the protocol in tests.
 *
 * @module
 */
export { HeaderDecoder } from "./hpack.ts";
