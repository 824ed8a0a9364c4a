import type { Duplex, Readable, Writable } from "node:stream";
import type { AttachRequest, ExecRequest } from "../v1/services.ts";

/** Size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The streams of a command. Those that the client did not request are absent. */
export interface CommandStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  /** Terminal sizes, the first one soon after the start. Without a terminal it yields none. */
  readonly resize: AsyncIterable<TerminalSize>;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

/**
 * Runs the sessions of a streaming server. The server closes the streams of a session when the backend returns; the
 * backend must not close them.
 */
export interface StreamingBackend {
  /**
   * Runs a command. Resolves with its exit code when it has exited and its output is written. The client sees a
   * rejection as an internal error.
   */
  exec(request: ExecRequest, streams: CommandStreams): Promise<number>;
  /** Connects to a running container. Resolves when it exits or the client disconnects. */
  attach(request: AttachRequest, streams: CommandStreams): Promise<void>;
  /** Copies data between `stream` and a port of a sandbox until both sides have ended. */
  portForward(podSandboxId: string, port: number, stream: Duplex): Promise<void>;
}
