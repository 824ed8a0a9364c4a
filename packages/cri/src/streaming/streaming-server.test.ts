import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { ExecRequest } from "../v1/services.ts";
import { dialSpdy } from "./spdy/dial-spdy.ts";
import type { StreamingBackend } from "./streaming-backend.ts";
import { type StreamingServer, startStreamingServer } from "./streaming-server.ts";

/** Echoes standard input to both outputs, reports terminal sizes on standard output, exits with the code in `cmd`. */
const backend: StreamingBackend = {
  async exec({ cmd, tty }, { stdin, stdout, stderr, resize }) {
    const [code = "0"] = cmd;
    if (code === "fail") throw new Error("no such file");
    if (tty) {
      for await (const { width, height } of resize) {
        stdout?.write(`${width}x${height}`);
        break;
      }
      return 0;
    }
    const input = stdin === undefined ? "none" : await text(stdin);
    stdout?.write(`out:${input}`);
    stderr?.write(`err:${input.length}`);
    return Number(code);
  },
  async attach() {},
  async portForward(_sandbox, port, stream) {
    if (port === 1) throw new Error("connection refused");
    stream.write(`port ${port}:`);
    stream.pipe(stream);
    await once(stream, "end");
  },
};

let server: StreamingServer;
beforeAll(async () => {
  server = await startStreamingServer({ backend });
});
afterAll(async () => {
  await server.close();
});

function execUrl(request: Partial<ExecRequest>): string {
  const complete = { containerId: "c", cmd: [], tty: false, stdin: false, stdout: true, stderr: true, ...request };
  return server.url({ kind: "exec", request: complete });
}

const success = '{"metadata":{},"status":"Success"}';

test.each([
  ["v4.channel.k8s.io", "0", success],
  ["v4.channel.o8s.io", "0", success],
  ["v4.channel.k8s.io", "3", expect.stringMatching(/"reason":"NonZeroExitCode".*"reason":"ExitCode","message":"3"/)],
  ["v2.channel.k8s.io", "0", ""],
  ["channel.o8s.io", "3", "command terminated with exit code 3"],
])("exec over SPDY with %s and exit code %s", async (protocol, code, status) => {
  const { connection, protocol: chosen } = await dialSpdy(execUrl({ cmd: [code], stdin: true }), {
    protocols: ["v9.channel.k8s.io", protocol],
  });
  expect(chosen).toBe(protocol);
  const [error, stdin, stdout, stderr] = await Promise.all(
    ["error", "stdin", "stdout", "stderr"].map((streamtype) => connection.open({ streamtype })),
  );
  stdin?.end("hello");
  const outputs = [stdout, stderr, error].map(async (stream) => (stream ? await text(stream) : undefined));
  expect(await Promise.all(outputs)).toEqual(["out:hello", "err:5", status]);
  await connection.close();
});

test("a megabyte each way over SPDY arrives complete", async () => {
  const { connection } = await dialSpdy(execUrl({ stdin: true, stderr: false }), { protocols: ["v4.channel.k8s.io"] });
  const [, stdin, stdout] = await Promise.all(
    ["error", "stdin", "stdout"].map((streamtype) => connection.open({ streamtype })),
  );
  const input = "0123456789abcdef".repeat(65536);
  stdin?.end(input);
  expect(stdout && (await text(stdout))).toBe(`out:${input}`);
  await connection.close();
});

test("the terminal's size arrives", async () => {
  const { connection } = await dialSpdy(execUrl({ tty: true, stderr: false }), { protocols: ["v4.channel.k8s.io"] });
  const [, stdout, resize] = await Promise.all(
    ["error", "stdout", "resize"].map((streamtype) => connection.open({ streamtype })),
  );
  resize?.write('{"Width":0}\nnonsense\n{"Width":80,"Height":24}\n');
  expect(stdout && (await text(stdout))).toBe("80x24");
  await connection.close();
});

test("SPDY pings are answered and unknown streams reset", async () => {
  const { connection } = await dialSpdy(execUrl({}), { protocols: ["v4.channel.k8s.io"] });
  await connection.ping();
  const stray = await connection.open({ streamtype: "nonsense" });
  stray.resume();
  await once(stray, "close");
  expect(stray.isReset).toBe(true);
  await connection.close();
});

test("ports are forwarded over SPDY, each connection on its own pair of streams", async () => {
  const url = server.url({ kind: "portforward", request: { podSandboxId: "p", port: [80, 1] } });
  const { connection, protocol } = await dialSpdy(url, { protocols: ["portforward.o8s.io"] });
  expect(protocol).toBe("portforward.o8s.io");
  const talk = async (port: string, requestid: string) => {
    const error = await connection.open({ streamtype: "error", port, requestid });
    const data = await connection.open({ streamtype: "data", port, requestid });
    error.end();
    data.end(`hi ${requestid}`);
    return await Promise.all([text(data), text(error)]);
  };
  expect(await Promise.all([talk("80", "0"), talk("80", "1"), talk("1", "2")])).toEqual([
    ["port 80:hi 0", ""],
    ["port 80:hi 1", ""],
    ["", "error forwarding port 1 to pod p: connection refused"],
  ]);
  await connection.close();
});

async function webSocketMessages(url: string, protocol: string, send: (socket: WebSocket) => void): Promise<Buffer[]> {
  const socket = new WebSocket(url, protocol);
  const messages: Buffer[] = [];
  socket.on("message", (message: Buffer) => messages.push(message));
  await once(socket, "open");
  expect(socket.protocol).toBe(protocol);
  send(socket);
  await once(socket, "close");
  return messages;
}

function byChannel(messages: Buffer[]): string[] {
  const channels = ["", "", "", ""];
  for (const message of messages) channels[message[0] ?? 0] += message.subarray(1).toString();
  return channels;
}

test.each(["v5.channel.k8s.io", "v5.channel.o8s.io"])("exec over WebSocket with %s closes stdin", async (protocol) => {
  const messages = await webSocketMessages(execUrl({ cmd: ["4"], stdin: true }), protocol, (socket) => {
    socket.send(Buffer.from("\0hello"));
    socket.send(Buffer.from([255, 0]));
  });
  expect(byChannel(messages)).toEqual(["", "out:hello", "err:5", expect.stringMatching(/"message":"4"/)]);
});

test.each(["v4.channel.k8s.io", "v4.channel.o8s.io"])("exec over WebSocket with %s", async (protocol) => {
  const messages = await webSocketMessages(execUrl({}), protocol, () => {});
  expect(byChannel(messages)).toEqual(["", "out:none", "err:4", success]);
});

test("exec over WebSocket in base64", async () => {
  const messages = await webSocketMessages(execUrl({ cmd: ["fail"] }), "v4.base64.channel.k8s.io", () => {});
  const [, status] = messages.map(String);
  expect(status?.[0]).toBe("3");
  expect(JSON.parse(Buffer.from(status?.slice(1) ?? "", "base64").toString())).toMatchObject({
    reason: "InternalError",
    message: "Internal error occurred: error executing command in container: no such file",
  });
});

test("ports are forwarded over WebSocket", async () => {
  const url = server.url({ kind: "portforward", request: { podSandboxId: "p", port: [80] } });
  const socket = new WebSocket(url, "v4.channel.k8s.io");
  const messages: Buffer[] = [];
  socket.on("message", (message: Buffer) => messages.push(message));
  await once(socket, "open");
  socket.send(Buffer.from("\0hi"));
  while (!String(Buffer.concat(messages)).includes("hi")) await once(socket, "message");
  socket.close();
  expect(messages.slice(0, 2).map((message) => message.toString("hex"))).toEqual(["005000", "015000"]);
  expect(byChannel(messages.slice(2))[0]).toBe("port 80:hi");
});

test("a URL can be used for one connection", async () => {
  const url = execUrl({});
  const { connection } = await dialSpdy(url, { protocols: [] });
  await connection.close();
  await expect(dialSpdy(url, { protocols: [] })).rejects.toThrow(/404 unknown or used session/);
});

test.each([
  [
    "unsupported protocols",
    () => dialSpdy(execUrl({}), { protocols: ["v9.channel.k8s.io"] }),
    /403 none of the offered/,
  ],
  ["an unknown token", () => dialSpdy(execUrl({}).replace(/[^/]+$/, "x"), { protocols: [] }), /404/],
])("%s are refused", async (_, dial, message) => {
  await expect(dial()).rejects.toThrow(message);
});

test("a plain request gets a response that demands an upgrade", async () => {
  const response = await fetch(execUrl({}));
  expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/SPDY\/3.1 or websocket/)]);
});
