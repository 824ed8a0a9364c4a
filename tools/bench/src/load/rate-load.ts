import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import type { Target } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";
import { type RequestTemplate, SERIAL_DIGITS } from "./request-template.ts";

/** Sends requests over kept-alive connections, one at a time on each, for some seconds. */
export interface RateLoad {
  readonly target: Target;
  /** Used in turn. */
  readonly templates: readonly RequestTemplate[];
  readonly connections: number;
  readonly seconds: number;
}

/** The result: responses of any status, and the number of failed requests. */
export interface RateOutcome {
  readonly answers: number;
  readonly seconds: number;
  readonly failed: number;
}

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** Returns the bytes of the next request: a template is encoded once, and only its digits are written for each request. */
function requestWriter(templates: readonly RequestTemplate[]): () => Buffer {
  const made = templates.map((pieces) => {
    const bytes = Buffer.from(pieces.join("0".repeat(SERIAL_DIGITS)));
    return { bytes, at: pieces.length > 1 ? Buffer.byteLength(pieces[0] ?? "") : -1 };
  });
  let n = 0;
  return () => {
    const { bytes, at } = made[++n % made.length] ?? { bytes: Buffer.alloc(0), at: -1 };
    if (at < 0) return bytes;
    const request = Buffer.from(bytes);
    request.write(String(n).padStart(SERIAL_DIGITS, "0"), at, "latin1");
    return request;
  };
}

/** Finds the ends of responses and reads their status; keeps no body. */
function answerReader(onAnswer: (status: number) => void): (data: Buffer) => void {
  let left = 0;
  let chunkTail: Buffer | undefined;
  let head: Buffer | undefined;
  let status = 0;
  return (data) => {
    if (chunkTail !== undefined) {
      // No data follows a response until the next request is sent, so a chunked body ends with the data.
      const tail: Buffer = Buffer.concat([chunkTail, data.subarray(-LAST_CHUNK.length)]);
      chunkTail = Buffer.from(tail.subarray(-LAST_CHUNK.length));
      if (!chunkTail.equals(LAST_CHUNK)) return;
      chunkTail = undefined;
      onAnswer(status);
      return;
    }
    if (left > 0) {
      left -= data.length;
      if (left <= 0) onAnswer(status);
      return;
    }
    const bytes = head === undefined ? data : Buffer.concat([head, data]);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      head = bytes;
      return;
    }
    head = undefined;
    const text = bytes.toString("latin1", 0, end);
    status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (length === undefined) {
      chunkTail = Buffer.from(bytes.subarray(-LAST_CHUNK.length));
      if (!chunkTail.equals(LAST_CHUNK)) return;
      chunkTail = undefined;
    } else {
      left = Number(length) - (bytes.length - end - HEAD_END.length);
      if (left > 0) return;
    }
    onAnswer(status);
  };
}

/** Runs the load in this process. Resolves when the time has elapsed; requests in flight are not counted. */
function runRateLoad({ target, templates, connections, seconds }: RateLoad): Promise<RateOutcome> {
  const { host, port, ca } = target;
  const next = requestWriter(templates);
  return new Promise((resolve) => {
    let answers = 0;
    let failed = 0;
    const started = performance.now();
    const sockets = Array.from({ length: connections }, () => {
      const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] }, () => {
        socket.setNoDelay(true);
        socket.write(next());
      });
      const read = answerReader((status) => {
        answers++;
        if (status < 200 || status > 299) failed++;
        socket.write(next());
      });
      socket.on("data", read);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => void failed++);
      return socket;
    });
    setTimeout(() => {
      resolve({ answers, seconds: (performance.now() - started) / 1000, failed });
      for (const socket of sockets) socket.destroy();
    }, seconds * 1000);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await loadProgram(runRateLoad);
