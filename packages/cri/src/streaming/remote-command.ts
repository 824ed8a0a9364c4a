import type { Readable, Writable } from "node:stream";
import { messageOf } from "@orchernetes/kernel";
import type { AttachRequest, ExecRequest } from "../v1/services.ts";
import { type CommandOutcome, exitStatusMessage } from "./exit-status.ts";
import type { StreamingBackend } from "./streaming-backend.ts";
import { terminalSizes } from "./terminal-sizes.ts";

/** A command or attachment for which a URL was issued. */
export type CommandSession =
  | { readonly kind: "exec"; readonly request: ExecRequest }
  | { readonly kind: "attach"; readonly request: AttachRequest };

/** The channels of one connection. */
export interface CommandChannels {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  readonly resize?: Readable | undefined;
  readonly error: Writable;
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal;
}

/**
 * Runs a session with its channels. Writes the outcome to the error channel at the end: clients stop reading output
 * when it arrives.
 */
export async function serveCommand(
  session: CommandSession,
  backend: StreamingBackend,
  channels: CommandChannels,
  version: number,
): Promise<void> {
  const streams = { ...channels, resize: terminalSizes(channels.resize) };
  // If the client disconnects, writes fail; the signal ends the command.
  for (const stream of [channels.stdin, channels.stdout, channels.stderr, channels.error])
    stream?.on("error", () => {});
  const outcome = await run(session, backend, streams);
  await Promise.all([end(channels.stdout), end(channels.stderr)]);
  channels.error.write(exitStatusMessage(outcome, version));
  await end(channels.error);
}

async function run(
  session: CommandSession,
  backend: StreamingBackend,
  streams: Parameters<StreamingBackend["exec"]>[1],
): Promise<CommandOutcome> {
  try {
    if (session.kind === "exec") return { type: "exited", exitCode: await backend.exec(session.request, streams) };
    await backend.attach(session.request, streams);
    return { type: "exited", exitCode: 0 };
  } catch (error) {
    const what = session.kind === "exec" ? "error executing command in container" : "error attaching to container";
    return { type: "failed", message: `${what}: ${messageOf(error)}` };
  }
}

/** Ends a stream and waits until all written data is sent, or can no longer be sent. */
async function end(stream: Writable | undefined): Promise<void> {
  if (stream === undefined || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    stream.once("close", resolve);
    stream.once("error", () => resolve());
    stream.end(() => resolve());
  });
}

/** Names of the channels of a session, without the error channel. */
export function wantedChannels({ request }: CommandSession, version: number): ReadonlySet<string> {
  const wanted = new Set<string>();
  if (request.stdin) wanted.add("stdin");
  if (request.stdout) wanted.add("stdout");
  // A terminal has only one output.
  if (request.stderr && !request.tty) wanted.add("stderr");
  if (request.tty && version >= 3) wanted.add("resize");
  return wanted;
}
