import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ClientConnection } from "./client-connection.ts";
import type { ConnectionError } from "./connection-error.ts";
import { FrameReader } from "./frame-reader.ts";
import { Flag, FrameType, frameBytes, numberFrame, PREFACE, Setting, settingsFrame } from "./frames.ts";
import { encodeHeaders, type Header } from "./hpack.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { RequestStream, ResponseHandler } from "./request-stream.ts";
import { type ResponseHeaders, responseHeaders } from "./response-headers.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Keeps what it receives; `done` resolves at the end of the response, and rejects when it is lost. */
class Kept implements ResponseHandler {
  status = 0;
  headers: ResponseHeaders = {};
  readonly parts: Buffer[] = [];
  readonly #done = Promise.withResolvers<string>();

  constructor() {
    this.#done.promise.catch(() => undefined);
  }

  get done(): Promise<string> {
    return this.#done.promise;
  }

  onHeaders(status: number, fields: readonly Header[]): void {
    this.status = status;
    this.headers = { ...responseHeaders(fields) };
  }

  onData(part: Buffer): void {
    this.parts.push(Buffer.from(part));
  }

  onEnd(): void {
    this.#done.resolve(Buffer.concat(this.parts).toString());
  }

  onFailure(error: ConnectionError): void {
    this.#done.reject(error);
  }
}

const options = { streamWindow: 100_000, connectionWindow: 1_000_000 };
const get = (path: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: "GET",
  authority: "example",
  path,
  headers: {},
  ...more,
});

/** Connects to a server on this port, and waits for its settings. */
async function connectTo(port: number): Promise<ClientConnection> {
  const socket = connect(port, "127.0.0.1");
  ends.push(() => socket.destroy());
  await once(socket, "connect");
  return new ClientConnection(socket, options);
}

/** A connection to Node's own HTTP/2 server. */
async function connectToNode(
  onStream: (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => void,
  settings: object = {},
): Promise<{ readonly connection: ClientConnection; readonly session: ServerHttp2Session }> {
  const server: Http2Server = createServer({ settings });
  const session = once(server, "session");
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => undefined);
    onStream(stream, headers);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ends.push(() => server.close());
  const connection = await connectTo((server.address() as AddressInfo).port);
  await connection.ready;
  return { connection, session: (await session)[0] as ServerHttp2Session };
}

function send(connection: ClientConnection, request: OutgoingRequest): { readonly kept: Kept; stream: RequestStream } {
  const kept = new Kept();
  return { kept, stream: connection.request(request, kept) };
}

const echo = (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>): void => {
  stream.respond({ ":status": 201, "x-path": String(headers[":path"]), "set-cookie": ["a=1", "b=2"], "x-two": "ü" });
  stream.pipe(stream);
};

describe("a connection to Node's server", () => {
  test("carries many requests at once, with and without bodies", async () => {
    const { connection } = await connectToNode(echo);
    const sent = Array.from({ length: 200 }, (_, i) => {
      const body = i % 3 === 0 ? undefined : Buffer.from(`body ${i} `.repeat(i % 3 === 1 ? 1 : 5000));
      return { body, ...send(connection, get(`/${i}`, { method: "POST", body })) };
    });
    for (const [i, { kept, body }] of sent.entries()) {
      expect(await kept.done).toBe(body?.toString() ?? "");
      expect(kept).toMatchObject({
        status: 201,
        headers: { "x-path": `/${i}`, "set-cookie": ["a=1", "b=2"], "x-two": "ü" },
      });
    }
  });

  test.each<[string, Partial<OutgoingRequest>]>([
    ["a value with a line end", { headers: { "x-new": "one", "x-bad": "a\r\nx: y" } }],
    ["a value beyond Latin-1", { headers: { "x-new": "one", "impersonate-user": "\u0100" } }],
    ["a name that is no token", { headers: { "x-new": "one", "x bad": "a" } }],
    ["a path beyond Latin-1", { method: "PROPFIND", path: "/\u0100" }],
  ])("rejects %s, and sends the next request's headers as they are", async (_, invalid) => {
    const { connection } = await connectToNode((stream, { "x-new": value, ":method": method }) => {
      stream.respond({ "x-seen": `${String(method)} ${String(value)}` });
      stream.end();
    });
    expect(() => send(connection, get("/bad", invalid))).toThrow(TypeError);
    const { kept } = send(connection, get("/good", { method: "PROPFIND", headers: { "x-new": "one" } }));
    await kept.done;
    expect(kept.headers["x-seen"]).toBe("PROPFIND one");
  });

  test("sends bodies and headers that are larger than its windows and frames", async () => {
    const { connection } = await connectToNode(
      (stream, headers) => {
        if (headers["x-long"] === undefined) echo(stream, headers);
        else
          stream.respond({ ":status": 200, "x-length": String(String(headers["x-long"]).length) }, { endStream: true });
      },
      { initialWindowSize: 1000 },
    );
    const body = Buffer.alloc(3_000_000, "0123456789");
    const { kept, stream } = send(connection, get("/", { method: "PUT", body }));
    vi.spyOn(kept, "onData").mockImplementation((part) => {
      kept.parts.push(Buffer.from(part));
      stream.consumed(part.length);
    });
    expect(await kept.done).toBe(body.toString());
    const long = send(connection, get("/", { headers: { "x-long": "y".repeat(40_000) } })).kept;
    await long.done;
    expect(long.headers["x-length"]).toBe("40000");
  });

  test("receives no more than its window before it is read, on one stream, while others go on", async () => {
    const { connection } = await connectToNode((stream) => {
      stream.respond({ ":status": 200 });
      stream.end(Buffer.alloc(500_000, "x"));
    });
    const { kept, stream } = send(connection, get("/"));
    const received = () => kept.parts.reduce((sum, { length }) => sum + length, 0);
    await vi.waitFor(() => expect(received()).toBe(options.streamWindow));
    const other = send(connection, get("/"));
    await vi.waitFor(() => expect(Buffer.concat(other.kept.parts)).toHaveLength(options.streamWindow));
    expect(received()).toBe(options.streamWindow);
    vi.spyOn(kept, "onData").mockImplementation((part) => {
      kept.parts.push(Buffer.from(part));
      stream.consumed(part.length);
    });
    stream.consumed(options.streamWindow);
    expect(await kept.done).toHaveLength(500_000);
    other.stream.cancel();
  });

  test("cancels a request, whose handler is called no more", async () => {
    const codes: number[] = [];
    const { connection } = await connectToNode((stream) => {
      stream.once("close", () => codes.push(stream.rstCode));
      stream.respond({ ":status": 200 });
      stream.write("some");
    });
    const { kept, stream } = send(connection, get("/"));
    await vi.waitFor(() => expect(kept.status).toBe(200));
    expect(connection.room).toBeGreaterThan(0);
    const onFailure = vi.spyOn(kept, "onFailure");
    stream.cancel();
    stream.cancel();
    await vi.waitFor(() => expect(codes).toEqual([8]));
    expect(onFailure).not.toHaveBeenCalled();
  });

  test("ends with its last request when it is retired, and when the server goes away", async () => {
    const { connection, session } = await connectToNode(echo);
    const closed = vi.fn<() => void>();
    connection.onClose = closed;
    const busy: boolean[] = [];
    connection.onBusy = (isBusy) => busy.push(isBusy);
    const { kept } = send(connection, get("/a"));
    connection.retire();
    expect(connection.open).toBe(false);
    expect(() => send(connection, get("/b"))).toThrow("closed");
    expect(await kept.done).toBe("");
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
    expect(busy).toEqual([true, false]);
    session.destroy();
  });

  test("learns which of its requests the server has ignored when it goes away", async () => {
    const { connection, session } = await connectToNode((stream) => {
      stream.respond({ ":status": 200 });
      stream.write("watch");
    });
    const watch = send(connection, get("/watch"));
    await vi.waitFor(() => expect(watch.kept.parts).toHaveLength(1));
    session.goaway(0, 2 ** 31 - 1);
    const late = send(connection, get("/late"));
    await expect(late.kept.done).rejects.toMatchObject({ isUnprocessed: true });
    expect(connection.open).toBe(false);
    session.destroy();
    await expect(watch.kept.done).rejects.toMatchObject({ code: "ECONNRESET", isUnprocessed: false });
  });

  test("measures that the server answers pings", async () => {
    const { connection } = await connectToNode(echo);
    await new Promise<void>((resolve) => connection.ping(resolve));
  });
});

/** A connection to a server that sends these bytes after the first request, and nothing else but its settings. */
async function connectToRaw(bytes: readonly Buffer[]): Promise<{ connection: ClientConnection; received: Buffer[] }> {
  const received: Buffer[] = [];
  const server = createTcpServer((socket: Socket) => {
    const frames = new FrameReader();
    socket.on("error", () => undefined);
    socket.write(settingsFrame([[Setting.maxConcurrentStreams, 10]]));
    let skip = PREFACE.length;
    socket.on("data", (chunk: Buffer) => {
      const rest = chunk.subarray(skip);
      skip = Math.max(0, skip - chunk.length);
      frames.add(rest);
      for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
        const { type, payload } = frame;
        received.push(Buffer.from([type]), Buffer.from(payload));
        if (type === FrameType.headers) for (const one of bytes) socket.write(one);
      }
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ends.push(() => server.close());
  const connection = await connectTo((server.address() as AddressInfo).port);
  await connection.ready;
  return { connection, received };
}

const head = encodeHeaders([[":status", "200"]]);
const headFrame = frameBytes(FrameType.headers, Flag.endHeaders, 1, head);
const data = (bytes: number): Buffer => frameBytes(FrameType.data, 0, 1, Buffer.alloc(bytes));
const times = (n: number, one: Buffer): readonly Buffer[] => Array.from({ length: n }, () => one);

describe("a server that violates the protocol loses its connection", () => {
  test.each<{ name: string; bytes: readonly Buffer[]; says: string }>([
    {
      name: "a frame that is too large",
      bytes: [Buffer.from("ffffff0000000000", "hex"), Buffer.alloc(9)],
      says: "frame has",
    },
    {
      name: "a header block that is cut off",
      bytes: [frameBytes(FrameType.headers, 0, 1, head), data(1)],
      says: "cut off",
    },
    {
      name: "an endless header block",
      bytes: [
        frameBytes(FrameType.headers, 0, 1, head),
        ...times(300, frameBytes(FrameType.continuation, 0, 1, Buffer.alloc(1000))),
      ],
      says: "more than",
    },
    {
      name: "empty continuations without an end",
      bytes: [
        frameBytes(FrameType.headers, 0, 1, head),
        ...times(40_000, frameBytes(FrameType.continuation, 0, 1, Buffer.alloc(0))),
      ],
      says: "more than",
    },
    {
      name: "a block that unfolds to megabytes",
      bytes: [
        frameBytes(
          FrameType.headers,
          Flag.endHeaders,
          1,
          Buffer.concat([
            Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]),
            Buffer.alloc(4000, "v"),
            Buffer.alloc(4000, 0xbe),
          ]),
        ),
      ],
      says: "the headers have more",
    },
    {
      name: "a continuation of nothing",
      bytes: [frameBytes(FrameType.continuation, 4, 1, head)],
      says: "without a header",
    },
    { name: "a body before its header", bytes: [data(1)], says: "before the header" },
    { name: "two headers", bytes: [headFrame, headFrame], says: "second header" },
    {
      name: "no status",
      bytes: [frameBytes(FrameType.headers, Flag.endHeaders, 1, encodeHeaders([["a", "b"]]))],
      says: "without a status",
    },
    {
      name: "more than the window of a stream",
      bytes: [headFrame, ...times(7, data(16_000))],
      says: "window of a stream",
    },
    { name: "a push", bytes: [frameBytes(FrameType.pushPromise, 4, 1, Buffer.alloc(4))], says: "PUSH_PROMISE" },
    {
      name: "a window that is too large",
      bytes: times(2, numberFrame(FrameType.windowUpdate, 0, 2 ** 31 - 1)),
      says: "too large",
    },
    {
      name: "a stream's window that is too large",
      bytes: times(2, numberFrame(FrameType.windowUpdate, 1, 2 ** 31 - 1)),
      says: "too large",
    },
    {
      name: "a first window that is too large",
      bytes: [settingsFrame([[Setting.initialWindowSize, 2 ** 31]])],
      says: "a window of",
    },
    { name: "a frame that is too short", bytes: [frameBytes(FrameType.goaway, 0, 0, Buffer.alloc(3))], says: "" },
  ])("$name", async ({ bytes, says }) => {
    const { connection } = await connectToRaw(bytes);
    const { kept } = send(connection, get("/"));
    await expect(kept.done).rejects.toMatchObject({ code: "EPROTO", message: expect.stringContaining(says) });
    expect(connection.open).toBe(false);
  });
});

describe("a server may", () => {
  const end = frameBytes(FrameType.data, Flag.endStream, 1, Buffer.from("end"));
  test.each<{ name: string; bytes: readonly Buffer[]; text: string }>([
    {
      name: "pad",
      bytes: [headFrame, frameBytes(0, Flag.padded | Flag.endStream, 1, Buffer.from("\x02ab\0\0"))],
      text: "ab",
    },
    {
      name: "send priorities and interim responses",
      bytes: [
        frameBytes(FrameType.headers, Flag.endHeaders, 1, encodeHeaders([[":status", "103"]])),
        frameBytes(FrameType.headers, Flag.endHeaders | Flag.priority, 1, Buffer.concat([Buffer.alloc(5), head])),
        end,
      ],
      text: "end",
    },
    {
      name: "split a header block",
      bytes: [
        frameBytes(FrameType.headers, 0, 1, head.subarray(0, 3)),
        frameBytes(FrameType.continuation, Flag.endHeaders, 1, head.subarray(3)),
        end,
      ],
      text: "end",
    },
    {
      name: "send trailers",
      bytes: [
        headFrame,
        frameBytes(FrameType.data, 0, 1, Buffer.from("x")),
        frameBytes(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, encodeHeaders([["grpc-status", "0"]])),
      ],
      text: "x",
    },
    {
      name: "send frames of unknown types, and pings",
      bytes: [
        frameBytes(99, 0, 1, Buffer.alloc(3)),
        frameBytes(FrameType.ping, 0, 0, Buffer.from("12345678")),
        headFrame,
        end,
      ],
      text: "end",
    },
    {
      name: "split its frames anywhere",
      bytes: Array.from(Buffer.concat([headFrame, end]), (byte) => Buffer.from([byte])),
      text: "end",
    },
  ])("$name", async ({ bytes, text }) => {
    const { connection, received } = await connectToRaw(bytes);
    const { kept } = send(connection, get("/"));
    expect(await kept.done).toBe(text);
    expect(kept.status).toBe(200);
    if (bytes.some((one) => one.includes("12345678")))
      await vi.waitFor(() => expect(Buffer.concat(received)).toContain(49));
  });

  test("refuse a stream, which it then has not processed; another reset says nothing about that", async () => {
    for (const [code, isUnprocessed] of [
      [7, true],
      [2, false],
    ] as const) {
      const { connection } = await connectToRaw([numberFrame(FrameType.rstStream, 1, code)]);
      await expect(send(connection, get("/")).kept.done).rejects.toMatchObject({ isUnprocessed });
      expect(connection.open).toBe(true);
    }
  });
});
