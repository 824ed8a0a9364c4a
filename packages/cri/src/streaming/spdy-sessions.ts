import type { Duplex } from "node:stream";
import { messageOf } from "@orchernetes/kernel";
import { type CommandSession, serveCommand, wantedChannels } from "./remote-command.ts";
import { createSpdyConnection } from "./spdy/spdy-connection.ts";
import type { SpdyStream } from "./spdy/spdy-stream.ts";
import type { StreamingBackend } from "./streaming-backend.ts";

/** Time for a client to open the streams of a session, or the second stream of a forwarded connection. */
const streamCreationTimeoutMs = 30_000;

/** Serves exec or attach on an upgraded socket. Resolves when the session has ended. */
export async function serveSpdyCommand(
  socket: Duplex,
  session: CommandSession,
  backend: StreamingBackend,
  version: number,
): Promise<void> {
  const wanted = new Set([...wantedChannels(session, version), "error"]);
  const gone = new AbortController();
  const found = new Map<string, SpdyStream>();
  const complete = Promise.withResolvers<boolean>();
  const timeout = setTimeout(() => complete.resolve(false), streamCreationTimeoutMs);
  const connection = createSpdyConnection(socket, {
    role: "server",
    onStream(stream) {
      const type = stream.headers.streamtype ?? "";
      if (!wanted.has(type) || found.has(type)) {
        stream.destroy();
        return;
      }
      found.set(type, stream);
      if (found.size === wanted.size) complete.resolve(true);
    },
  });
  void connection.closed.then(() => {
    gone.abort();
    complete.resolve(false);
  });
  const ready = await complete.promise;
  clearTimeout(timeout);
  const error = found.get("error");
  if (ready && error !== undefined) {
    // Clients never write to output streams. If one does, its data is discarded, so that it does not block the
    // connection.
    for (const type of ["stdout", "stderr", "error"]) found.get(type)?.resume();
    const channels = {
      stdin: found.get("stdin"),
      stdout: found.get("stdout"),
      stderr: found.get("stderr"),
      resize: found.get("resize"),
      error,
      signal: gone.signal,
    };
    await serveCommand(session, backend, channels, version);
    found.get("stdin")?.resume();
    found.get("stdin")?.end();
    found.get("resize")?.end();
  }
  await connection.close();
}

interface Pair {
  data?: SpdyStream;
  error?: SpdyStream;
  timeout: NodeJS.Timeout;
}

/**
 * Serves port forwarding on an upgraded socket. Each forwarded connection has a data stream and an error stream with
 * the same request id. Resolves when the client has disconnected.
 */
export async function serveSpdyForward(
  socket: Duplex,
  podSandboxId: string,
  ports: readonly number[],
  backend: StreamingBackend,
): Promise<void> {
  const pairs = new Map<string, Pair>();
  const connection = createSpdyConnection(socket, {
    role: "server",
    onStream(stream) {
      stream.on("error", () => {});
      const { streamtype: type = "" } = stream.headers;
      const port = Number(stream.headers.port);
      const allowed =
        Number.isInteger(port) && port > 0 && port < 65536 && (ports.length === 0 || ports.includes(port));
      if ((type !== "data" && type !== "error") || !allowed) {
        stream.destroy();
        return;
      }
      // Old clients send no request id, and open the data stream right after the error stream.
      const id = stream.headers.requestid ?? String(type === "error" ? stream.id : stream.id - 2);
      const pair: Pair = pairs.get(id) ?? { timeout: setTimeout(() => expire(id), streamCreationTimeoutMs) };
      pairs.set(id, pair);
      if (pair[type] !== undefined) {
        stream.destroy();
        return;
      }
      pair[type] = stream;
      if (pair.data === undefined || pair.error === undefined) return;
      clearTimeout(pair.timeout);
      pairs.delete(id);
      void forward(port, pair.data, pair.error);
    },
  });

  function expire(id: string): void {
    const pair = pairs.get(id);
    pairs.delete(id);
    pair?.data?.destroy();
    pair?.error?.destroy();
  }

  async function forward(port: number, data: SpdyStream, error: SpdyStream): Promise<void> {
    error.resume();
    try {
      await backend.portForward(podSandboxId, port, data);
    } catch (thrown) {
      const reason = messageOf(thrown);
      if (!error.destroyed) error.write(`error forwarding port ${port} to pod ${podSandboxId}: ${reason}`);
    }
    error.end();
    data.resume();
    data.end();
  }

  await connection.closed;
  for (const { timeout } of pairs.values()) clearTimeout(timeout);
}
