import type { Duplex } from "node:stream";
import { messageOf } from "@orchernetes/kernel";
import { createWebSocketStream, type WebSocket } from "ws";
import type { Negotiated } from "./negotiate.ts";
import { type CommandSession, serveCommand, wantedChannels } from "./remote-command.ts";
import { serveSpdyForward } from "./spdy-sessions.ts";
import type { StreamingBackend } from "./streaming-backend.ts";
import { plainSubprotocol } from "./subprotocols.ts";
import { webSocketChannels } from "./websocket-channels.ts";

const channelNumbers = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** Serves exec or attach on a WebSocket. Resolves when the session has ended. */
export async function serveWebSocketCommand(
  socket: WebSocket,
  session: CommandSession,
  backend: StreamingBackend,
  protocol: Negotiated,
): Promise<void> {
  const gone = new AbortController();
  socket.on("close", () => gone.abort());
  const wanted = wantedChannels(session, 4);
  const names = Object.keys(channelNumbers) as (keyof typeof channelNumbers)[];
  const used = names.filter((name) => name === "error" || wanted.has(name));
  const channels = webSocketChannels(
    socket,
    used.map((name) => channelNumbers[name]),
    {
      base64: protocol.base64,
      closeSignal: protocol.version >= 5,
      inputs: new Set([channelNumbers.stdin, channelNumbers.resize]),
      lines: new Set([channelNumbers.resize]),
    },
  );
  const channel = (name: keyof typeof channelNumbers) => channels.get(channelNumbers[name]);
  const error = channel("error");
  if (error === undefined) return;
  // An empty message on the first output channel shows the client that the session is established.
  (channel("stdout") ?? channel("stderr") ?? error).write(Buffer.alloc(0));
  await serveCommand(
    session,
    backend,
    {
      stdin: channel("stdin"),
      stdout: channel("stdout"),
      stderr: channel("stderr"),
      resize: channel("resize"),
      error,
      signal: gone.signal,
    },
    protocol.version,
  );
  socket.close(1000);
}

/**
 * Serves port forwarding on a WebSocket: either SPDY inside WebSocket messages (KEP-4006), or a pair of channels per
 * port. Resolves when the client has disconnected.
 */
export async function serveWebSocketForward(
  socket: WebSocket,
  podSandboxId: string,
  ports: readonly number[],
  backend: StreamingBackend,
  protocol: Negotiated,
): Promise<void> {
  if (plainSubprotocol(protocol.name).startsWith("SPDY/3.1")) {
    await serveSpdyForward(createWebSocketStream(socket), podSandboxId, ports, backend);
    return;
  }
  const channels = webSocketChannels(
    socket,
    ports.flatMap((_, index) => [index * 2, index * 2 + 1]),
    { base64: protocol.base64, closeSignal: false, inputs: new Set(ports.map((_, index) => index * 2)) },
  );
  await Promise.all(
    ports.map(async (port, index) => {
      const data = channels.get(index * 2);
      const error = channels.get(index * 2 + 1);
      if (data === undefined || error === undefined) return;
      await forward(podSandboxId, port, data, error, backend);
    }),
  );
  socket.close(1000);
}

async function forward(
  podSandboxId: string,
  port: number,
  data: Duplex,
  error: Duplex,
  backend: StreamingBackend,
): Promise<void> {
  for (const channel of [data, error]) {
    channel.on("error", () => {});
    // Both channels of a port start with the port number, little-endian, as in the kubelet.
    const hello = Buffer.alloc(2);
    hello.writeUInt16LE(port);
    channel.write(hello);
  }
  error.resume();
  try {
    await backend.portForward(podSandboxId, port, data);
  } catch (thrown) {
    const reason = messageOf(thrown);
    error.write(`error forwarding port ${port} to pod ${podSandboxId}: ${reason}`);
  }
}
