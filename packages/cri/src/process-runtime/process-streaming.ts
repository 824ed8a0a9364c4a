import { spawn } from "node:child_process";
import { connect } from "node:net";
import type { Duplex, Readable, Writable } from "node:stream";
import type { CommandStreams, StreamingBackend } from "../streaming/streaming-backend.ts";
import type { ContainerProcess } from "./container-process.ts";
import type { Containers } from "./containers.ts";
import type { SandboxRecord } from "./records.ts";
import { exitCodeOf, killCommand, startCommand } from "./run-command.ts";
import { findTerminal } from "./terminal.ts";

/** Output in excess of this is dropped for a slow attached client. Waiting for it would block the container. */
const maxAttachBacklogBytes = 4 * 1024 * 1024;
// Time for data in flight after the server of a forwarded port has closed its side.
const lingerMs = 500;

/** Exec, attach and port forwarding for the process runtime. */
export function createProcessStreaming(
  containers: Containers,
  sandbox: (id: string) => SandboxRecord,
): StreamingBackend {
  return {
    async exec({ containerId, cmd, tty }, streams) {
      const { record } = containers.running(containerId);
      const child = await startCommand(containers.command(record, cmd, tty), streams.stdin ? "pipe" : "ignore");
      const kill = () => killCommand(child);
      if (streams.signal.aborted) kill();
      streams.signal.addEventListener("abort", kill, { once: true });
      if (tty) void resizeTerminal(child.pid, streams);
      const exited = exitCodeOf(child);
      const { stdin } = child;
      if (stdin !== null && streams.stdin !== undefined) {
        stdin.on("error", () => {});
        // pipe() and not pipeline(): a command that closes its input early must not destroy the stream of the client.
        streams.stdin.pipe(stdin);
      }
      // Continues to read after the client has disconnected, so that the command does not block in a write.
      const outputs = [copy(child.stdout, streams.stdout), copy(child.stderr, streams.stderr)];
      try {
        const exitCode = await exited;
        await Promise.all(outputs);
        return exitCode;
      } finally {
        streams.signal.removeEventListener("abort", kill);
        streams.stdin?.unpipe();
      }
    },

    async attach({ containerId, tty }, streams) {
      const { record, process } = containers.running(containerId);
      const offs = [
        subscribe(process, "stdout", streams.stdout),
        tty ? () => {} : subscribe(process, "stderr", streams.stderr),
      ];
      if (record.config.tty) void resizeTerminal(record.process?.pid, streams);
      if (record.config.stdin && streams.stdin !== undefined) {
        void feed(streams.stdin, process).then(async () => {
          if (record.config.stdinOnce) await containers.closeStdin(record);
        });
      } else {
        streams.stdin?.resume();
      }
      const left = new Promise<void>((resolve) => {
        if (streams.signal.aborted) resolve();
        streams.signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([process.exited, left]);
      for (const off of offs) off();
    },

    async portForward(podSandboxId, port, stream) {
      const { ip } = sandbox(podSandboxId);
      await copyBoth(stream, ip === "" ? "127.0.0.1" : ip, port);
    },
  };
}

async function copy(source: Readable | null, target: Writable | undefined): Promise<void> {
  if (source === null) return;
  if (target === undefined) source.resume();
  else {
    source.pipe(target, { end: false });
    target.once("close", () => source.resume());
  }
  await new Promise<void>((resolve) => source.once("close", resolve));
}

function subscribe(process: ContainerProcess, name: "stdout" | "stderr", target: Writable | undefined): () => void {
  if (target === undefined) return () => {};
  const listener = (chunk: Buffer) => {
    if (!target.destroyed && target.writableLength < maxAttachBacklogBytes) target.write(chunk);
  };
  process.output.on(name, listener);
  return () => process.output.off(name, listener);
}

async function feed(source: Readable, process: ContainerProcess): Promise<void> {
  try {
    for await (const chunk of source) await process.writeStdin(chunk as Buffer);
  } catch {
    // The client has disconnected.
  }
}

async function resizeTerminal(pid: number | undefined, { resize, signal }: CommandStreams): Promise<void> {
  if (pid === undefined) return;
  for await (const { width, height } of resize) {
    const terminal = await findTerminal(pid, signal);
    if (terminal === undefined) return;
    const stty = spawn("stty", ["-F", terminal, "cols", String(width), "rows", String(height)], { stdio: "ignore" });
    await new Promise<void>((resolve) => {
      stty.once("error", () => resolve());
      stty.once("close", () => resolve());
    });
  }
}

async function copyBoth(stream: Duplex, host: string, port: number): Promise<void> {
  const socket = connect({ host, port, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  stream.pipe(socket);
  socket.pipe(stream);
  stream.once("close", () => socket.destroy());
  // Clients seldom end their half of a connection that the server has closed. Wait for data in flight, but not
  // forever.
  socket.once("end", () => setTimeout(() => socket.destroy(), lingerMs).unref());
  await new Promise<void>((resolve) => {
    socket.once("error", () => stream.destroy());
    socket.once("close", () => resolve());
  });
}
