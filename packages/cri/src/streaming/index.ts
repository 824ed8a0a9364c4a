/**
 * Streaming of exec, attach and port forwarding: a server for the URLs that a CRI runtime returns, an implementation
 * of SPDY/3.1, and the translation of subprotocols for a proxy between clients and runtimes.
 *
 * @example
 * ```ts
 * import { dialSpdy } from "@orchernetes/cri/streaming";
 *
 * async function exec(url: string): Promise<string> {
 *   const { connection } = await dialSpdy(url, { protocols: ["v4.channel.k8s.io"] });
 *   await connection.open({ streamtype: "error" });
 *   const stdout = await connection.open({ streamtype: "stdout" });
 *   let output = "";
 *   for await (const chunk of stdout) output += String(chunk);
 *   await connection.close();
 *   return output;
 * }
 * ```
 *
 * @module
 */
export { type CommandOutcome, exitStatusMessage } from "./exit-status.ts";
export { type DialSpdyOptions, dialSpdy } from "./spdy/dial-spdy.ts";
export type { SpdyHeaders } from "./spdy/header-block.ts";
export { createSpdyScreen } from "./spdy/screen-spdy.ts";
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
export { type BridgedSession, bridgedProtocol, openWebSocketBridge, type WebSocketBridge } from "./websocket-bridge.ts";
export type { Upgrade } from "./websocket-upgrade.ts";
