import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { upgrade, webSocketBytes } from "../testing/tunnel-client.ts";
import { createFrameParser, encodeFrame, type SpdyFrame } from "./spdy/frames.ts";
import { createHeaderEncoder } from "./spdy/header-block.ts";
import { createSpdyConnection } from "./spdy/spdy-connection.ts";
import type { StreamingBackend } from "./streaming-backend.ts";
import { type StreamingServer, startStreamingServer } from "./streaming-server.ts";
import { type BridgedSession, bridgedProtocol, openWebSocketBridge } from "./websocket-bridge.ts";

const ended: string[] = [];

/** A runtime whose commands answer when standard input has ended. */
const backend: StreamingBackend = {
  async exec({ cmd, tty }, { stdin, stdout, stderr, resize, signal }) {
    if (cmd[0] === "wait") {
      await once(signal, "abort");
      ended.push("wait");
      return 1;
    }
    if (tty) {
      for await (const { width, height } of resize) {
        stdout?.write(`${width}x${height}`);
        break;
      }
      return 0;
    }
    if (cmd[0] === "much") {
      if (stdout === undefined) throw new Error("no output");
      for (let i = 0; i < 64; i++) if (!stdout.write(Buffer.alloc(65_536, "x"))) await once(stdout, "drain");
      return 0;
    }
    const input = stdin === undefined ? "none" : await text(stdin);
    stdout?.write(`out:${input}`);
    stderr?.write(`err:${input.length}`);
    return Number(cmd[0] ?? 0);
  },
  async attach() {},
  async portForward(_sandbox, port, stream) {
    stream.write(`port ${port}:`);
    stream.pipe(stream);
    await once(stream, "end");
  },
};

let runtime: StreamingServer;
let agent: Server;
/** What the next connection is for. */
let next: { readonly url: string; readonly session: BridgedSession };
beforeAll(async () => {
  runtime = await startStreamingServer({ backend });
  agent = createServer().listen(0, "127.0.0.1");
  agent.on("upgrade", async (request, socket, head) => {
    const protocol = bridgedProtocol(next.session.kind, request.headers);
    if (protocol === undefined) return socket.end("HTTP/1.1 501 No\r\n\r\n");
    try {
      const bridge = await openWebSocketBridge(next.url, next.session, protocol);
      await bridge.serve({ request, socket, head });
    } catch {
      socket.end("HTTP/1.1 502 No\r\n\r\n");
    }
  });
  await once(agent, "listening");
});
afterAll(async () => {
  agent.close();
  await runtime.close();
});

function dial(protocol: string): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${(agent.address() as AddressInfo).port}/`, protocol);
}

function exec(cmd: readonly string[], more: object = {}): void {
  const request = { containerId: "c", cmd: [...cmd], tty: false, stdin: true, stdout: true, stderr: true, ...more };
  next = { session: { kind: "exec", request }, url: runtime.url({ kind: "exec", request }) };
}

/** Collects the channels of a session until it is closed. */
async function session(socket: WebSocket, then: () => void): Promise<readonly string[]> {
  const channels = ["", "", "", ""];
  socket.on("message", (message: Buffer) => {
    channels[message[0] ?? 0] += message.subarray(1).toString();
  });
  await once(socket, "open");
  then();
  await once(socket, "close");
  return channels;
}

test.each(["v5.channel.k8s.io", "v5.channel.o8s.io"])(
  "with %s, input ends and output is read after it",
  async (protocol) => {
    exec(["4"]);
    const socket = dial(protocol);
    const channels = await session(socket, () => {
      socket.send(Buffer.from("\0hello"));
      socket.send(Buffer.from("\0 world"));
      socket.send(Buffer.from([255, 0]));
    });
    expect(channels).toEqual([
      "",
      "out:hello world",
      "err:11",
      expect.stringMatching(/"reason":"ExitCode","message":"4"/),
    ]);
    expect(socket.protocol).toBe(protocol);
  },
);

test("sizes of a terminal are passed on", async () => {
  exec([], { tty: true, stderr: false });
  const socket = dial("v5.channel.o8s.io");
  const channels = await session(socket, () => socket.send(Buffer.from('\x04{"Width":80,"Height":24}')));
  expect(channels[1]).toBe("80x24");
});

test("much output arrives whole", async () => {
  exec(["much"]);
  const socket = dial("v5.channel.o8s.io");
  const channels = await session(socket, () => undefined);
  expect([channels[1]?.length, channels[3]]).toEqual([64 * 65_536, expect.stringContaining("Success")]);
});

test("nothing is sent to a runtime whose command has ended, so that its outcome is read", async () => {
  const received: SpdyFrame["type"][] = [];
  const server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", async (_request, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
    const parse = createFrameParser();
    const encodeHeaders = createHeaderEncoder();
    const streams: number[] = [];
    socket.on("error", () => undefined);
    for await (const chunk of socket)
      for (const frame of parse(chunk)) {
        if (streams.length === 4) received.push(frame.type);
        if (frame.type !== "SYN_STREAM") continue;
        streams.push(frame.streamId);
        const reply = { streamId: frame.streamId, fin: false };
        socket.write(encodeFrame({ type: "SYN_REPLY", ...reply, headers: encodeHeaders({}) }));
        if (streams.length < 4) continue;
        const [, stdout = 0, stderr = 0, error = 0] = streams;
        const send = (streamId: number, fin: boolean, data: string) =>
          socket.write(encodeFrame({ type: "DATA", streamId, fin, data: Buffer.from(data) }));
        send(stdout, true, "out");
        send(stderr, true, "err");
        await setTimeout(100);
        send(error, true, '{"status":"Success"}');
        socket.end();
      }
  });
  await once(server, "listening");
  exec([]);
  next = { ...next, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  const channels = await session(dial("v5.channel.o8s.io"), () => undefined);
  expect(channels).toEqual(["", "out", "err", '{"status":"Success"}']);
  expect(received).not.toContain("RST_STREAM");
  server.close();
});

test("a client that goes ends the command", async () => {
  exec(["wait"]);
  const socket = dial("v5.channel.o8s.io");
  await once(socket, "open");
  socket.terminate();
  await expect.poll(() => ended).toEqual(["wait"]);
});

test("a command ends whose client has gone before the session was there", async () => {
  exec(["wait"]);
  const headers = { upgrade: "websocket", "sec-websocket-protocol": "v5.channel.o8s.io" };
  const protocol = bridgedProtocol("exec", headers);
  if (protocol === undefined) throw new Error("the protocol is not bridged");
  const bridge = await openWebSocketBridge(next.url, next.session, protocol);
  const socket = new Duplex({ read() {} });
  socket.destroy();
  const count = ended.length;
  await bridge.serve({ request: { headers } as unknown as IncomingMessage, socket, head: Buffer.alloc(0) });
  await expect.poll(() => ended.length).toBe(count + 1);
});

test("a runtime that refuses the session is known before the client is accepted", async () => {
  exec([]);
  next = { ...next, url: next.url.replace(/[^/]+$/, "unknown") };
  await expect(once(dial("v5.channel.o8s.io"), "open")).rejects.toThrow("502");
});

test("other protocols are not bridged", () => {
  const websocket = (protocols: string) => ({ upgrade: "websocket", "sec-websocket-protocol": protocols });
  expect(bridgedProtocol("exec", websocket("v4.channel.o8s.io"))).toBeUndefined();
  expect(bridgedProtocol("exec", websocket("v4.channel.o8s.io, v5.channel.o8s.io"))).toBeUndefined();
  expect(
    bridgedProtocol("exec", { upgrade: "SPDY/3.1", "x-stream-protocol-version": "v5.channel.o8s.io" }),
  ).toBeUndefined();
  expect(bridgedProtocol("portforward", websocket("v4.channel.o8s.io"))).toBeUndefined();
  expect(bridgedProtocol("exec", websocket("v5.channel.o8s.io, v4.channel.o8s.io"))?.version).toBe(5);
});

test.each(["SPDY/3.1+portforward.k8s.io", "SPDY/3.1+portforward.o8s.io"])(
  "ports are forwarded with %s",
  async (protocol) => {
    next = {
      session: { kind: "portforward" },
      url: runtime.url({ kind: "portforward", request: { podSandboxId: "p", port: [80] } }),
    };
    const { port } = agent.address() as AddressInfo;
    const { socket, protocol: chosen } = await upgrade(`http://127.0.0.1:${port}/`, protocol);
    expect(chosen).toBe(protocol);
    const connection = createSpdyConnection(webSocketBytes(socket), { role: "client" });
    const headers = { port: "80", requestid: "1" };
    await connection.open({ ...headers, streamtype: "error" });
    const data = await connection.open({ ...headers, streamtype: "data" });
    data.end("hi");
    expect(await text(data)).toBe("port 80:hi");
    socket.destroy();
  },
);
