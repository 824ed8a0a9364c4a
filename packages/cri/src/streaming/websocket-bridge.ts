import type { IncomingMessage } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createWebSocketStream } from "ws";
import { type Negotiated, negotiate, webSocketCommandProtocols, webSocketForwardProtocols } from "./negotiate.ts";
import { type CommandSession, wantedChannels } from "./remote-command.ts";
import { dialSpdy, dialUpgraded } from "./spdy/dial-spdy.ts";
import type { SpdyStream } from "./spdy/spdy-stream.ts";
import { webSocketChannels } from "./websocket-channels.ts";
import { acceptWebSocket, type Upgrade } from "./websocket-upgrade.ts";

/**
 * A session with a runtime over SPDY, for a client that speaks a WebSocket protocol which runtimes lack: version 5 of remote commands,
 * or SPDY in WebSocket messages (KEP-4006).
 */
export interface WebSocketBridge {
  /** Accepts the client's WebSocket and joins it with the session. Resolves when either has ended. */
  serve(upgrade: Upgrade): Promise<void>;
}

/** The session whose URL the runtime has issued. */
export type BridgedSession = CommandSession | { readonly kind: "portforward" };

/** The timeout of the connection to the runtime, in milliseconds. */
const dialMs = 30_000;

/**
 * The protocol that a request is served with, if it is a WebSocket whose protocol runtimes lack. Undefined: the request can be forwarded
 * to the runtime as it is.
 */
export function bridgedProtocol(
  kind: BridgedSession["kind"],
  headers: IncomingMessage["headers"],
): Negotiated | undefined {
  if (String(headers.upgrade).toLowerCase() !== "websocket") return undefined;
  const supported = kind === "portforward" ? webSocketForwardProtocols : webSocketCommandProtocols;
  const protocol = negotiate(headers["sec-websocket-protocol"], supported);
  return protocol !== undefined && (protocol.version >= 5 || protocol.name.startsWith("SPDY/")) ? protocol : undefined;
}

/**
 * Opens the session with the runtime, before the client is answered, so that an error can still be a response.
 *
 * @param url as returned by Exec, Attach and PortForward
 * @throws Error if the runtime does not accept the session
 */
export async function openWebSocketBridge(
  url: string,
  session: BridgedSession,
  protocol: Negotiated,
): Promise<WebSocketBridge> {
  return session.kind === "portforward" ? bridgeForward(url, protocol) : bridgeCommand(url, session, protocol);
}

async function bridgeForward(url: string, protocol: Negotiated): Promise<WebSocketBridge> {
  const { socket: upstream } = await inTime((signal) =>
    dialUpgraded(url, { protocols: ["portforward.k8s.io"], signal }),
  );
  upstream.on("error", () => undefined);
  return {
    async serve(upgrade) {
      const webSocket = await acceptWebSocket(upgrade, protocol.name);
      if (webSocket === undefined) return void upstream.destroy();
      const client = createWebSocketStream(webSocket);
      await Promise.allSettled([pipeline(client, upstream), pipeline(upstream, client)]);
      upstream.destroy();
    },
  };
}

/** Dials with a time limit, which no longer holds once the connection is there. */
async function inTime<T>(dial: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error("the runtime did not answer in time")), dialMs);
  try {
    return await dial(late.signal);
  } finally {
    clearTimeout(timer);
  }
}

const channelNumbers = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
type ChannelName = keyof typeof channelNumbers;

async function bridgeCommand(url: string, session: CommandSession, protocol: Negotiated): Promise<WebSocketBridge> {
  const { connection } = await inTime((signal) => dialSpdy(url, { protocols: ["v4.channel.k8s.io"], signal }));
  const streams = new Map<ChannelName, SpdyStream>();
  try {
    await inTime(async (signal) => {
      signal.addEventListener("abort", () => void connection.close(), { once: true });
      const wanted = wantedChannels(session, 4);
      for (const name of Object.keys(channelNumbers) as readonly ChannelName[])
        if (name === "error" || wanted.has(name)) streams.set(name, await connection.open({ streamtype: name }));
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    async serve(upgrade) {
      const webSocket = await acceptWebSocket(upgrade, protocol.name);
      if (webSocket !== undefined) {
        const gone = new Promise<void>((resolve) => void webSocket.once("close", () => resolve()));
        const numbers = [...streams.keys()].map((name) => channelNumbers[name]);
        const { stdin, resize } = channelNumbers;
        const options = {
          base64: false,
          closeSignal: true,
          inputs: new Set([stdin, resize]),
          lines: new Set([resize]),
        };
        const channels = webSocketChannels(webSocket, numbers, options);
        // The streams of a connection that is closed end, too; what they have received is passed on first.
        await Promise.race([gone, join(streams, channels)]);
        webSocket.close(1000);
      }
      await connection.close();
    },
  };
}

/** Copies between streams and channels. Resolves when the outcome and all output have been passed on. */
async function join(
  streams: ReadonlyMap<ChannelName, SpdyStream>,
  channels: ReadonlyMap<number, Duplex>,
): Promise<void> {
  const outputs: Promise<void>[] = [];
  for (const [name, stream] of streams) {
    const channel = channels.get(channelNumbers[name]);
    if (channel === undefined) continue;
    stream.on("error", () => undefined);
    channel.on("error", () => undefined);
    // The end of standard input reaches the command; that of the outputs is shown by the outcome.
    if (name === "stdin" || name === "resize") channel.pipe(stream);
    else outputs.push(copy(stream, channel));
  }
  // An empty message on the first output channel shows the client that the session is established.
  (channels.get(channelNumbers.stdout) ?? channels.get(channelNumbers.stderr))?.write(Buffer.alloc(0));
  await Promise.all(outputs);
}

async function copy(from: Readable, to: Duplex): Promise<void> {
  try {
    // An output that has ended is not destroyed, which would reset it: a runtime sends the outcome behind the outputs and closes the
    // connection at once, and a write to a closed connection destroys the socket together with what it has not read.
    for await (const chunk of from.iterator({ destroyOnReturn: false }))
      await new Promise<void>(
        (resolve, reject) => void to.write(chunk, (error) => (error ? reject(error) : resolve())),
      );
  } catch {
    // Either side has disconnected, which ends the session.
  }
}
