import type { Duplex, Readable, Writable } from "node:stream";
import type { AttachRequest, ExecRequest } from "../v1/services.ts";

/** Size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The client's ends of a command's streams; those it did not ask for are absent. */
export interface CommandStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  /** Terminal sizes, the first one soon after the start; never yields without a terminal. */
  readonly resize: AsyncIterable<TerminalSize>;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Runs the sessions of a streaming server. The server closes a session's streams when the backend returns; the backend never does. */
export interface StreamingBackend {
  /**
   * Runs a command and resolves with its exit code when it ended and its output was written. A rejection is shown to the
   * client as an internal error.
   */
  exec(request: ExecRequest, streams: CommandStreams): Promise<number>;
  /** Connects to a running container; resolves when it ends or the client leaves. */
  attach(request: AttachRequest, streams: CommandStreams): Promise<void>;
  /** Copies between `stream` and a port of a sandbox until both sides are done. */
  portForward(podSandboxId: string, port: number, stream: Duplex): Promise<void>;
}
