import { once } from "node:events";
import { constants, createServer, type Http2Server, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import type { GrpcError } from "@orchernetes/http2/grpc";
import { framedMessage } from "@orchernetes/http2/grpc";
import type { Dialer } from "@orchernetes/kernel";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Connect, GrpcConnection } from "./connection.ts";
import { LeanConnection } from "./lean-connection.ts";
import { NodeConnection } from "./node-connection.ts";

const close: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const each of close.splice(0)) each();
});

type Answer = (stream: ServerHttp2Stream, body: Buffer) => void;

/** A peer on Node's own HTTP/2, and a connection to it. */
async function connectedBy(open: Connect, answer: Answer, settings = {}) {
  const server: Http2Server = createServer({ settings });
  const sessions: Http2Session[] = [];
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream: ServerHttp2Stream) => {
    const parts: Buffer[] = [];
    stream.on("error", () => undefined);
    stream.on("data", (part: Buffer) => parts.push(part));
    stream.on("end", () => answer(stream, Buffer.concat(parts)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const connection = open({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  close.push(() => {
    connection.close();
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { connection, server, sessions };
}

/** The messages of one call, and what it ended with. */
function ask(connection: GrpcConnection, message: Buffer, timeoutMs = 20_000) {
  return new Promise<{ messages: Buffer[]; error: GrpcError | undefined }>((resolve) => {
    const messages: Buffer[] = [];
    connection.call("/test.Service/Method", message, timeoutMs, {
      onMessage: (received) => void messages.push(received),
      onEnd: (error) => resolve({ messages, error }),
    });
  });
}

const ok = { ":status": 200, "content-type": "application/grpc" };

/** Sends messages back, then the trailers. */
function reply(stream: ServerHttp2Stream, bytes: Buffer, trailers: Record<string, string> = { "grpc-status": "0" }) {
  stream.respond(ok, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(bytes);
}

const echo: Answer = (stream, body) => reply(stream, body);

/** A dialer like those that lead through proxies. */
const dialled: Dialer = async ({ host, port }) => {
  const socket = connect({ host, port });
  await once(socket, "connect");
  return socket;
};

const kinds: readonly { readonly name: string; readonly open: Connect }[] = [
  { name: "the lean connection", open: (target) => new LeanConnection(target) },
  { name: "the lean connection that is dialled", open: (target) => new LeanConnection(target, dialled) },
  { name: "the reference on Node's HTTP/2", open: (target) => new NodeConnection(target) },
];

describe("a connection that is dialled", () => {
  test("ends its calls when the dial fails, with the reason", async () => {
    const connection = new LeanConnection({ host: "192.0.2.1", port: 1 }, () => Promise.reject(new Error("no proxy")));
    const { error } = await ask(connection, Buffer.alloc(1));
    expect(error).toMatchObject({ code: 14, message: "no proxy" });
    expect(connection.usable).toBe(false);
  });

  test("ends the dial when it is closed", async () => {
    let signal: AbortSignal | undefined;
    const connection = new LeanConnection({ host: "192.0.2.1", port: 1 }, (_, until) => {
      signal = until;
      return new Promise(() => undefined);
    });
    const asked = ask(connection, Buffer.alloc(1));
    connection.close();
    expect((await asked).error?.code).toBe(14);
    expect(signal?.aborted).toBe(true);
  });
});

describe.each(kinds)("$name", ({ open }) => {
  const connected = (answer: Answer, settings?: object) => connectedBy(open, answer, settings);

  describe("calls", () => {
    test.each([0, 1, 1000, 16_379, 16_380, 65_535, 70_000, 3_000_000])(
      "carry %d bytes there and back",
      async (size) => {
        const { connection } = await connected(echo);
        const message = Buffer.alloc(size, "m");
        const { messages, error } = await ask(connection, message);
        expect(error).toBeUndefined();
        expect(messages.map((each) => each.equals(message))).toEqual([true]);
      },
    );

    test("allow the server no more than the largest window, however much it has sent", async () => {
      const { connection } = await connected(echo);
      const message = Buffer.alloc(16_000, "m");
      // Frames and headers that count towards no window are some 60 of each call's bytes.
      for (let call = 0; call < 600; call++) expect((await ask(connection, message)).error).toBeUndefined();
    });

    test("succeed when there are more at once than the server accepts", async () => {
      const { connection } = await connected(echo, { maxConcurrentStreams: 5 });
      await ask(connection, Buffer.alloc(1));
      const all = await Promise.all(Array.from({ length: 100 }, (_, i) => ask(connection, Buffer.alloc(20_000, i))));
      expect(all.map(({ messages }) => messages[0]?.[19_999])).toEqual(Array.from({ length: 100 }, (_, i) => i));
    });

    test("deliver several messages of one call, however they are split into frames", async () => {
      const { connection } = await connected((stream) => {
        const bytes = Buffer.concat([framedMessage(Buffer.from("one")), framedMessage(Buffer.from("two"))]);
        stream.respond(ok, { waitForTrailers: true });
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
        stream.write(bytes.subarray(0, 3));
        stream.write(bytes.subarray(3, 10));
        stream.end(bytes.subarray(10));
      });
      const { messages } = await ask(connection, Buffer.alloc(0));
      expect(messages.map(String)).toEqual(["one", "two"]);
    });

    test.each<{ name: string; answer: Answer; code: number; message: string }>([
      {
        name: "a status after a message",
        answer: (stream) => reply(stream, Buffer.alloc(0), { "grpc-status": "11", "grpc-message": "too far: 5%25" }),
        code: 11,
        message: "too far: 5%",
      },
      {
        name: "a status alone",
        answer: (stream) => stream.respond({ ...ok, "grpc-status": "9", "grpc-message": "no" }, { endStream: true }),
        code: 9,
        message: "no",
      },
      {
        name: "no gRPC server",
        answer: (stream) => stream.respond({ ":status": 502 }, { endStream: true }),
        code: 14,
        message: "the response has HTTP status 502 and no gRPC status",
      },
      {
        name: "a reset",
        answer: (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
        code: 14,
        message: "the server reset the stream with code 7",
      },
      {
        name: "a compressed message",
        answer: (stream) => reply(stream, Buffer.from([1, 0, 0, 0, 0])),
        code: 2,
        message: "the server sent a compressed message, which was not requested",
      },
    ])("end with the status of the server: $name", async ({ answer, code, message }) => {
      const { connection } = await connected(answer);
      const { error } = await ask(connection, Buffer.alloc(1));
      expect({ code: error?.code, message: error?.message }).toEqual({ code, message });
    });
  });

  describe("failures", () => {
    test("a call past its deadline ends; others continue", async () => {
      const { connection } = await connected((stream, body) => void (body.length > 6 && reply(stream, body)));
      await ask(connection, Buffer.from("first"));
      const late = ask(connection, Buffer.alloc(0), 50);
      const answered = ask(connection, Buffer.from("answered"));
      expect((await answered).messages.map(String)).toEqual(["answered"]);
      expect((await late).error?.code).toBe(4);
    });

    test("a call whose deadline has passed is not sent", async () => {
      let calls = 0;
      const { connection } = await connected((stream, body) => {
        calls++;
        reply(stream, body);
      });
      await ask(connection, Buffer.alloc(0));
      expect((await ask(connection, Buffer.alloc(0), -1)).error?.code).toBe(4);
      await ask(connection, Buffer.alloc(0));
      expect(calls).toBe(2);
    });

    test("a server that sends GOAWAY finishes its calls, and gets no new ones", async () => {
      const begun = Promise.withResolvers<ServerHttp2Stream>();
      const { connection, sessions } = await connected((stream) => begun.resolve(stream));
      const call = ask(connection, Buffer.from("x"));
      const stream = await begun.promise;
      sessions[0]?.goaway();
      await expect.poll(() => connection.usable).toBe(false);
      expect((await ask(connection, Buffer.from("y"))).error?.code).toBe(14);
      reply(stream, framedMessage(Buffer.from("done")));
      expect((await call).messages.map(String)).toEqual(["done"]);
    });

    test("a connection that breaks ends all its calls", async () => {
      const begun = Promise.withResolvers<void>();
      const { connection, sessions } = await connected(() => begun.resolve());
      const calls = [ask(connection, Buffer.from("x")), ask(connection, Buffer.from("y"))];
      await begun.promise;
      sessions[0]?.destroy();
      expect((await Promise.all(calls)).map(({ error }) => error?.code)).toEqual([14, 14]);
      expect(connection.usable).toBe(false);
    });

    test("a pause of this process does not count as silence of the server, however long it lasts", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
      const held: ServerHttp2Stream[] = [];
      const { connection } = await connected((stream, body) =>
        body.length > 5 ? reply(stream, body) : void held.push(stream),
      );
      await ask(connection, Buffer.from("x"));
      const slow = ask(connection, Buffer.alloc(0), Number.POSITIVE_INFINITY);
      while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
      connection.pause();
      for (let seconds = 0; seconds < 120; seconds += 10) {
        vi.advanceTimersByTime(10_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(connection.usable).toBe(true);
      connection.resume();
      for (const stream of held) reply(stream, framedMessage(Buffer.from("late")));
      const { messages, error } = await slow;
      expect([messages.map(String), error]).toEqual([["late"], undefined]);
    });

    test("a server that is silent during a whole call is detected without waiting for the idle time", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
      const { server } = await connected((stream, body) => void (body.length > 5 && reply(stream, body)));
      let silent = false;
      const between = createTcpServer((near) => {
        const far = connect((server.address() as AddressInfo).port, "127.0.0.1");
        for (const [from, to] of [[near, far] as const, [far, near] as const])
          from.on("error", () => undefined).on("data", (bytes: Buffer) => void (silent || to.write(bytes)));
        close.push(() => far.destroy());
      });
      between.listen(0, "127.0.0.1");
      await once(between, "listening");
      const connection = open({ host: "127.0.0.1", port: (between.address() as AddressInfo).port });
      close.push(() => connection.close());
      close.push(() => between.close());
      await ask(connection, Buffer.from("x"));
      const endless = ask(connection, Buffer.alloc(0), Number.POSITIVE_INFINITY);
      await ask(connection, Buffer.from("y"));
      silent = true;
      vi.advanceTimersByTime(1000);
      const late = ask(connection, Buffer.from("z"), 1000);
      vi.advanceTimersByTime(1100);
      expect((await late).error?.code).toBe(4);
      expect(connection.usable).toBe(false);
      vi.advanceTimersByTime(11_000);
      expect((await endless).error?.message).toBe("the server does not respond");
    });

    test("a port without a listener is an error", async () => {
      const { connection, server } = await connected(echo);
      const { port } = server.address() as AddressInfo;
      connection.close();
      server.close();
      const { error } = await ask(open({ host: "127.0.0.1", port }), Buffer.alloc(0));
      expect(error?.code).toBe(14);
      expect(error?.message).toContain("ECONNREFUSED");
    });

    test("a peer without HTTP/2 is an error", async () => {
      const { createServer: plain } = await import("node:net");
      const server = plain((socket) => socket.on("error", () => undefined).end("HTTP/1.1 400 Bad Request\r\n\r\n"));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      close.push(() => server.close());
      const connection = open({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
      expect((await ask(connection, Buffer.alloc(0))).error?.code).toBe(14);
    });
  });
});
