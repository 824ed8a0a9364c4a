import { once } from "node:events";
import { WebSocket } from "ws";

/** How a command is run over a WebSocket. */
export interface ExecWebSocketOptions {
  /** As `v5.channel.o8s.io`. */
  readonly protocol: string;
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Standard input, which then ends. Versions before 5 cannot end it. */
  readonly stdin?: string;
}

/** What a command has written, and its outcome as JSON. */
export interface ExecWebSocketResult {
  readonly protocol: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly status: string;
}

/** Number of the channel whose messages end another one. */
const closeChannel = 255;

/** Runs a command by a `wss:` or `ws:` URL of exec, and waits for its end. @throws Error if the connection is refused */
export async function execWebSocket(url: string, options: ExecWebSocketOptions): Promise<ExecWebSocketResult> {
  const { protocol, tls = {}, stdin } = options;
  const socket = new WebSocket(url, protocol, tls);
  const channels: Buffer[][] = [[], [], [], []];
  socket.on("message", (message: Buffer) => channels[message[0] ?? 0]?.push(message.subarray(1)));
  const closed = once(socket, "close");
  await once(socket, "open");
  if (stdin !== undefined) {
    socket.send(Buffer.from(`\0${stdin}`));
    socket.send(Buffer.from([closeChannel, 0]));
  }
  await closed;
  const [, stdout = "", stderr = "", status = ""] = channels.map((parts) => Buffer.concat(parts).toString());
  return { protocol: socket.protocol, stdout, stderr, status };
}
