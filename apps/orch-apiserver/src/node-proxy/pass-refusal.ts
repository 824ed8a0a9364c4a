import type { Duplex } from "node:stream";

/** Longest time in which the body of a refusal has to come. */
const refusalTimeoutMs = 10_000;
/** Longest body that is passed on. */
const maxRefusalBytes = 1024 * 1024;

const CRLF = "\r\n";
const lastChunk = Buffer.from(`0${CRLF}${CRLF}`);

/** Headers of a connection that ends after this answer, instead of those of the one it came by. */
function closingHead(head: Buffer): string {
  const [status = "", ...lines] = head.toString("latin1").trimEnd().split(CRLF);
  const kept = lines.filter((line) => !/^(connection|keep-alive|proxy-connection|upgrade)\s*:/i.test(line));
  return [status, ...kept, "connection: close", "", ""].join(CRLF);
}

/** Whether `body` is all of the body that `head` promises; undefined: only the end of the connection shows it. */
function isWhole(head: string, body: Buffer): boolean | undefined {
  if (/^transfer-encoding\s*:.*chunked/im.test(head)) return body.subarray(-lastChunk.length).equals(lastChunk);
  const length = /^content-length\s*:\s*(\d+)/im.exec(head)?.[1];
  return length === undefined ? undefined : body.length >= Number(length);
}

/**
 * Forwards the response of a server that rejected an upgrade, and closes both connections. Nothing that the client sends is forwarded
 * any more: the server would read it as further requests of this one, with its certificate and any identity that they claim.
 *
 * @param rest what came after the head already
 */
export async function passRefusal(client: Duplex, upstream: Duplex, head: Buffer, rest: Buffer): Promise<void> {
  const closing = closingHead(head);
  client.resume();
  const body = await new Promise<Buffer>((resolve) => {
    let seen = rest;
    const done = () => {
      clearTimeout(timer);
      upstream.off("data", onData);
      resolve(seen);
    };
    const onData = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      if (isWhole(closing, seen) === true || seen.length > maxRefusalBytes) done();
    };
    const timer = setTimeout(done, refusalTimeoutMs).unref();
    upstream.on("data", onData);
    for (const event of ["end", "close", "error"]) upstream.once(event, done);
    client.once("close", done);
    if (isWhole(closing, seen) === true) done();
    else upstream.resume();
  });
  upstream.destroy();
  client.on("error", () => undefined);
  client.write(closing, "latin1");
  client.end(body);
}
