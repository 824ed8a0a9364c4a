import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { withoutBearerProtocol } from "@orchernetes/auth";
import { subprotocolSpelling, translateSubprotocol } from "@orchernetes/cri";
import { createSpdyScreen } from "@orchernetes/cri/streaming";
import type { HttpRequest } from "@orchernetes/kernel";

/** Limits for the runtime's response to an upgrade. */
const maxHeadBytes = 64 * 1024;
const responseMs = 30_000;
/** Headers that are not forwarded: the runtime must not see the client's credentials. */
const skipped = new Set(["host", "authorization", "cookie"]);

/**
 * Forwards an upgrade to the runtime's streaming server at `url`, and then joins the two connections until either ends.
 * The names of subprotocols are translated to the runtime's spelling and back to the client's.
 *
 * @throws Error only before anything was written to `client`, so that the caller can still respond with an error
 */
export async function proxyStream(options: {
  readonly request: HttpRequest;
  readonly client: Duplex;
  readonly head: Buffer;
  readonly url: URL;
  /** Closes a connection without data in either direction after this time, in milliseconds; 0 for never. */
  readonly idleMs: number;
}): Promise<void> {
  const { request, client, url } = options;
  const spelling = subprotocolSpelling(request.headers);
  const upstream = await dial(url);
  let screen: Duplex | undefined;
  try {
    upstream.write(requestHead(request, url));
    const { head, rest } = await readHead(upstream);
    client.write(answerHead(head, spelling));
    if (rest.length > 0) client.write(rest);
    // A few bytes of a client must not end the runtime, and with it the work of all pods of the node.
    if (isSpdy(head)) screen = createSpdyScreen();
    if (options.head.length > 0) (screen ?? upstream).write(options.head);
  } catch (error) {
    upstream.destroy();
    throw error;
  }
  if (options.idleMs > 0) upstream.setTimeout(options.idleMs, () => upstream.destroy());
  await join(client, upstream, screen);
}

/** Whether the head of the runtime's response changes the protocol of the connection to SPDY. */
const isSpdy = (head: string): boolean => /^upgrade:[^\r\n]*spdy/im.test(head);

/** Connects to the runtime's streaming server, which listens on this host without TLS. */
function dial(url: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || 80) });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

function requestHead(request: HttpRequest, url: URL): string {
  const headers: Record<string, string | readonly string[] | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) if (!skipped.has(name)) headers[name] = value;
  const protocols = withoutBearerProtocol(request.headers["sec-websocket-protocol"]);
  if (protocols !== undefined) headers["sec-websocket-protocol"] = protocols === "" ? undefined : protocols;
  const lines = [`${request.method ?? "GET"} ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`];
  for (const [name, value] of Object.entries(translateSubprotocol(headers, "k8s")))
    for (const one of [value ?? []].flat()) lines.push(`${name}: ${one}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** The head of the runtime's response with the client's spelling of subprotocols. */
function answerHead(head: string, spelling: "o8s" | "k8s"): string {
  const [status = "", ...lines] = head.split("\r\n").filter((line) => line !== "");
  const translated = lines.map((line) => {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    const [value] = Object.values(translateSubprotocol({ [name]: line.slice(colon + 1).trim() }, spelling));
    return `${name}: ${value ?? ""}`;
  });
  return `${[status, ...translated].join("\r\n")}\r\n\r\n`;
}

/** Reads the head of the response, and the bytes of the stream that have arrived with it. */
function readHead(socket: Socket): Promise<{ readonly head: string; readonly rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const finish = (error?: Error) => {
      clearTimeout(timer);
      socket.off("data", onData).off("error", finish).off("close", onClose);
      if (error !== undefined) reject(error);
    };
    const onClose = () => finish(new Error("the runtime closed the connection"));
    const onData = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf("\r\n\r\n");
      if (end === -1) {
        if (seen.length > maxHeadBytes) finish(new Error("the head of the runtime's response is too long"));
        return;
      }
      socket.pause();
      finish();
      resolve({ head: seen.toString("latin1", 0, end + 4), rest: seen.subarray(end + 4) });
    };
    const timer = setTimeout(() => finish(new Error("the runtime did not answer in time")), responseMs);
    socket.on("data", onData).on("error", finish).on("close", onClose);
  });
}

/** Joins two connections until either ends. @param screen passes on what goes from `a` to `b` */
function join(a: Duplex, b: Duplex, screen?: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const all = screen === undefined ? [a, b] : [a, b, screen];
    const end = () => {
      for (const one of all) one.destroy();
      resolve();
    };
    // A connection that was closed during the negotiation emits no further events.
    if (a.destroyed || b.destroyed) return end();
    // An end of input must not cut the output short: half-closing is passed on.
    b.pipe(a);
    if (screen === undefined) a.pipe(b);
    else a.pipe(screen).pipe(b);
    for (const one of all) one.on("error", end);
    for (const one of [a, b]) one.on("close", end);
  });
}
