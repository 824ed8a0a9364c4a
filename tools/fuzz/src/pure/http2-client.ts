import { Duplex } from "node:stream";
import {
  ClientConnection,
  type ConnectionError,
  encodeHeaders,
  type Header,
  type ResponseHandler,
} from "@orchernetes/http2";
import { serverFrames } from "../generate/server-frames.ts";
import { bytesOf, type PureTarget } from "../target.ts";
import { Http2Model, MODEL_REQUESTS, MODEL_WINDOWS, type ModelStream } from "./http2-model.ts";

type Http2ClientCase = Readonly<{
  /** The frames that the server sends. */
  readonly frames: readonly string[];
  /** The lengths of the pieces in which they arrive, again and again; the rest arrives at once if there are none. */
  readonly pieces: readonly string[];
}>;

/** A socket that takes all writes, and remembers what must not happen to it. */
class FakeSocket extends Duplex {
  problem: string | undefined;
  written = 0;
  #isOver = false;

  override write(chunk: Uint8Array): boolean {
    if (this.#isOver) this.problem = "writes after the end";
    this.written += chunk.length;
    return true;
  }

  override end(): this {
    this.#isOver = true;
    return this;
  }

  override destroy(): this {
    this.#isOver = true;
    return this;
  }
}

/** Keeps what a response is, and reads it at once. */
class Recorder implements ResponseHandler, ModelStream {
  status = 0;
  bytes = 0;
  outcome: ModelStream["outcome"] = "pending";
  problem: string | undefined;
  read: (bytes: number) => void = () => undefined;

  onHeaders(status: number, _fields: readonly Header[]): void {
    if (this.status !== 0 || this.outcome !== "pending") this.problem = "a header that is not due";
    this.status = status;
  }

  onData(part: Buffer): void {
    if (this.status === 0 || this.outcome !== "pending") this.problem = "a body that is not due";
    this.bytes += part.length;
    this.read(part.length);
  }

  onEnd(): void {
    this.#end("ended");
  }

  onFailure(_error: ConnectionError): void {
    this.#end("failed");
  }

  #end(outcome: "ended" | "failed"): void {
    if (this.outcome !== "pending") this.problem = "ends twice";
    this.outcome = outcome;
  }
}

/** What a client sends for each byte that it receives: acknowledgements are shorter than what they answer, and there are requests. */
const MAX_WRITTEN = (received: number): number => 2000 + 2 * received;

/**
 * What servers send to the HTTP/2 client, cut anywhere: it agrees with the model on each response and on whether the connection is to
 * end. It never throws, ends each request once, writes nothing after its end, and writes little.
 */
export const http2ClientTarget: PureTarget<Http2ClientCase> = {
  name: "http2-client",
  generate: (random) => ({
    frames: serverFrames(random),
    pieces: random.chance(0.2) ? [] : random.many(1, 5, () => String(1 + random.size(20_000))),
  }),
  check: ({ frames, pieces }) => {
    const received = bytesOf(frames.join(""));
    const model = new Http2Model(received);
    const { streams, isBroken, problem, written } = receive(received, pieces.map(Number));
    if (problem !== undefined) return problem;
    for (const [id, expected] of model.streams) {
      const found = textOf(streams.get(id));
      if (found !== textOf(expected)) return `stream ${id}: ${found}, want ${textOf(expected)}`;
    }
    if (isBroken !== model.isBroken) return `the connection is ${isBroken ? "" : "not "}broken`;
    if (written > MAX_WRITTEN(received.length)) return `writes ${written} bytes for ${received.length}`;
    return undefined;
  },
};

const textOf = (stream: ModelStream | undefined): string =>
  `${stream?.outcome} with status ${stream?.status} and ${stream?.bytes} bytes`;

/** What the client makes of these bytes. */
interface Received {
  readonly streams: ReadonlyMap<number, ModelStream>;
  readonly isBroken: boolean;
  readonly problem: string | undefined;
  readonly written: number;
}

function receive(bytes: Buffer, pieces: readonly number[]): Received {
  const socket = new FakeSocket();
  const windows = { streamWindow: MODEL_WINDOWS.stream, connectionWindow: MODEL_WINDOWS.connection };
  const connection = new ClientConnection(socket, windows);
  const recorders = new Map<number, Recorder>();
  const block = encodeHeaders([[":method", "GET"]]);
  for (let i = 0; i < MODEL_REQUESTS; i++) {
    const recorder = new Recorder();
    const stream = connection.begin({ block, isFinished: true }, recorder);
    recorder.read = (length) => stream.consumed(length);
    recorders.set(stream.id, recorder);
  }
  let isBroken = false;
  connection.onClose = ({ code }) => {
    isBroken = code === "EPROTO";
  };
  for (let at = 0, i = 0; at < bytes.length; i++) {
    // A shrunk case may have pieces that are no numbers.
    const piece = pieces[i % pieces.length] || bytes.length;
    socket.emit("data", bytes.subarray(at, at + piece));
    if (i % 3 === 0) connection.flush();
    at += piece;
  }
  connection.flush();
  const streams = new Map(
    Array.from(recorders, ([id, { status, bytes, outcome }]) => [id, { status, bytes, outcome }] as const),
  );
  // A connection that is closed ends each request as well.
  socket.emit("close");
  connection.flush();
  let { problem } = socket;
  for (const recorder of recorders.values())
    problem ??= recorder.problem ?? (recorder.outcome === "pending" ? "a request does not end" : undefined);
  return { streams, isBroken, problem, written: socket.written };
}
