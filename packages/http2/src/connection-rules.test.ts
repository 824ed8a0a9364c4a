import { Duplex } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ClientConnection } from "./client-connection.ts";
import { FrameReader } from "./frame-reader.ts";
import { Flag, type Frame, FrameType, frameBytes, numberFrame, PREFACE, Setting, settingsFrame } from "./frames.ts";
import { encodeHeaders } from "./hpack.ts";
import type { ResponseHandler } from "./request-stream.ts";

/** A socket whose peer is the test. */
class TestSocket extends Duplex {
  readonly #reader = new FrameReader();
  /** Whether the peer reads. */
  isRead = true;
  #skipped = 0;
  readonly frames: Frame[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#reader.add(chunk.subarray(this.#skipped === 0 ? PREFACE.length : 0));
    this.#skipped = 1;
    for (let frame = this.#reader.next(); frame !== undefined; frame = this.#reader.next()) this.frames.push(frame);
    if (this.isRead) done();
  }

  /** Frames of this type that the client has sent. */
  sent(type: number): readonly Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }
}

const block = encodeHeaders([[":method", "GET"]]);
const headers = (id: number, status = "200", flags = Flag.endHeaders | Flag.endStream): Buffer =>
  frameBytes(FrameType.headers, flags, id, encodeHeaders([[":status", status]]));
const nothing = Buffer.alloc(0);
const noSettings = settingsFrame([]);

/** A connection, and what it made of one request. */
function connected(settings: Buffer = noSettings) {
  const socket = new TestSocket();
  const connection = new ClientConnection(socket, { streamWindow: 100_000, connectionWindow: 200_000 });
  const handler = {
    onHeaders: vi.fn<ResponseHandler["onHeaders"]>(),
    onData: vi.fn<ResponseHandler["onData"]>(),
    onEnd: vi.fn<ResponseHandler["onEnd"]>(),
    onFailure: vi.fn<ResponseHandler["onFailure"]>(),
  };
  const receive = (...frames: readonly Buffer[]): void => {
    socket.emit("data", Buffer.concat(frames));
    connection.flush();
  };
  if (settings.length > 0) receive(settings);
  const request = (body?: Buffer, isFinished = true) => connection.begin({ block, body, isFinished }, handler);
  return { socket, connection, handler, receive, request };
}

afterEach(() => vi.useRealTimers());

describe("a server loses its connection, and each request fails once, after", () => {
  test.each<{ name: string; bytes: Buffer; says: string; settings?: Buffer }>([
    { name: "a beginning without settings", settings: nothing, bytes: headers(1), says: "does not begin" },
    {
      name: "padding that is longer than the frame",
      bytes: Buffer.concat([
        headers(1, "200", Flag.endHeaders),
        frameBytes(FrameType.data, Flag.padded, 1, Buffer.from([9, 1])),
      ]),
      says: "padding",
    },
    {
      name: "a priority that does not fit",
      bytes: frameBytes(FrameType.headers, Flag.priority | Flag.endHeaders, 1, Buffer.alloc(4)),
      says: "priority",
    },
    { name: "a window that grows by nothing", bytes: numberFrame(FrameType.windowUpdate, 1, 0), says: "no bytes" },
    { name: "data without a stream", bytes: frameBytes(FrameType.data, 0, 0, nothing), says: "without a stream" },
    { name: "a stream that was not opened", bytes: headers(3), says: "not opened" },
    { name: "a stream that only servers open", bytes: headers(2), says: "not opened" },
    { name: "settings of a stream", bytes: frameBytes(FrameType.settings, 0, 1, nothing), says: "of a stream" },
    { name: "half a setting", bytes: frameBytes(FrameType.settings, 0, 0, Buffer.alloc(3)), says: "3 bytes" },
    { name: "a long reset", bytes: frameBytes(FrameType.rstStream, 0, 1, Buffer.alloc(5)), says: "5 bytes" },
    { name: "a short ping", bytes: frameBytes(FrameType.ping, 0, 0, Buffer.alloc(7)), says: "7 bytes" },
    { name: "leave to push", bytes: settingsFrame([[Setting.enablePush, 1]]), says: "pushes" },
    { name: "frames of no size", bytes: settingsFrame([[Setting.maxFrameSize, 1]]), says: "frames of 1" },
    { name: "a status that is a number of another kind", bytes: headers(1, "2e2"), says: "without a status" },
  ])("$name", ({ bytes, says, settings }) => {
    const { socket, handler, receive, request } = connected(settings);
    request();
    receive(bytes);
    expect(handler.onFailure.mock.calls.map(([error]) => error)).toEqual([
      expect.objectContaining({ code: "EPROTO", message: expect.stringContaining(says) }),
    ]);
    receive(headers(1));
    expect(handler.onEnd).not.toHaveBeenCalled();
    expect(socket.destroyed).toBe(true);
  });

  test.each([
    { name: "PINGs", flood: frameBytes(FrameType.ping, 0, 0, Buffer.alloc(8)) },
    { name: "SETTINGS", flood: noSettings },
  ])("a flood of $name whose answers it does not read", ({ flood }) => {
    const { socket, handler, receive, request } = connected();
    request();
    socket.isRead = false;
    const many = Buffer.concat(Array.from({ length: 1000 }, () => flood));
    let sent = 0;
    for (; !socket.destroyed && sent < 1000; sent++) receive(many);
    expect(handler.onFailure).toHaveBeenCalledOnce();
    expect(handler.onFailure.mock.calls[0]?.[0].message).toContain("does not read");
    // A megabyte of answers.
    expect(sent).toBeLessThan(130);
  });

  test("the same flood is answered while it reads", () => {
    const { socket, receive } = connected();
    const many = Buffer.concat(Array.from({ length: 1000 }, () => frameBytes(FrameType.ping, 0, 0, Buffer.alloc(8))));
    for (let sent = 0; sent < 200; sent++) receive(many);
    expect(socket.sent(FrameType.ping)).toHaveLength(200_000);
    expect(socket.destroyed).toBe(false);
  });
});

describe("a connection", () => {
  test("writes nothing after its end, and is destroyed if the server does not end its side", () => {
    vi.useFakeTimers();
    const { socket, connection, handler, receive, request } = connected();
    request();
    connection.retire();
    receive(headers(1));
    expect(handler.onEnd).toHaveBeenCalledOnce();
    expect(socket.writableEnded).toBe(true);
    const before = socket.frames.length;
    receive(frameBytes(FrameType.ping, 0, 0, Buffer.alloc(8)), noSettings);
    expect(socket.frames).toHaveLength(before);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(5000);
    expect(socket.destroyed).toBe(true);
  });

  test("sends an empty body, and its end, while the window is closed", () => {
    const { connection, socket, request } = connected(settingsFrame([[Setting.initialWindowSize, 0]]));
    const next = request(nothing, false);
    next.finish();
    connection.flush();
    expect(socket.sent(FrameType.data).filter(({ stream }) => stream === next.id)).toMatchObject([
      { flags: 0 },
      { flags: Flag.endStream },
    ]);
  });

  test("announces a smaller header table before a header that was encoded earlier, once", () => {
    const { connection, socket, request } = connected(settingsFrame([[Setting.headerTableSize, 0]]));
    request();
    request();
    connection.flush();
    expect(socket.sent(FrameType.headers).map(({ payload }) => payload)).toEqual([
      Buffer.concat([Buffer.from([0x20]), block]),
      block,
    ]);
  });

  test("sends a body in parts, and cancels what the server does not want to read", () => {
    const { connection, socket, receive, request } = connected();
    const stream = request(undefined, false);
    stream.send(Buffer.from("a"));
    stream.send(Buffer.from("b"));
    receive(headers(1));
    stream.send(Buffer.from("c"));
    stream.finish();
    connection.flush();
    expect(socket.sent(FrameType.data).map(({ payload }) => String(payload))).toEqual(["a", "b"]);
    expect(socket.sent(FrameType.rstStream)).toHaveLength(1);
  });

  test("tells the server of what was received only, so that no window becomes too large", () => {
    const { handler, socket, receive, request } = connected();
    const stream = request();
    handler.onData.mockImplementation((part) => stream.consumed(part.length));
    receive(headers(1, "200", Flag.endHeaders));
    for (let i = 0; i < 100; i++) receive(frameBytes(FrameType.data, 0, 1, Buffer.alloc(16_000)));
    const granted = (id: number) =>
      socket
        .sent(FrameType.windowUpdate)
        .filter(({ stream: of }) => of === id)
        .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);
    expect(granted(1)).toBeLessThanOrEqual(1_600_000);
    expect(granted(0) - (200_000 - 65_535)).toBeLessThanOrEqual(1_600_000);
    expect(granted(1)).toBeGreaterThan(1_500_000);
  });
});
