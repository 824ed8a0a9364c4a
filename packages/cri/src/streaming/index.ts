/**
 * Streaming of exec, attach and port forward: a server for the URLs that a CRI runtime returns, an implementation of
 * SPDY/3.1, and the translation of subprotocols for a proxy between clients and runtimes.
 *
 * @module
 */
export { type CommandOutcome, exitStatusMessage } from "./exit-status.ts";
export { type DialSpdyOptions, dialSpdy } from "./spdy/dial-spdy.ts";
export type { SpdyHeaders } from "./spdy/header-block.ts";
export { createSpdyConnection, type SpdyConnection, type SpdyConnectionOptions } from "./spdy/spdy-connection.ts";
export type { SpdyStream } from "./spdy/spdy-stream.ts";
export type { CommandStreams, StreamingBackend, TerminalSize } from "./streaming-backend.ts";
export {
  type StreamingServer,
  type StreamingServerOptions,
  type StreamingSession,
  startStreamingServer,
} from "./streaming-server.ts";
export {
  type SubprotocolSpelling,
  subprotocolSpelling,
  translateSubprotocol,
  type UpgradeHeaders,
} from "./subprotocols.ts";
