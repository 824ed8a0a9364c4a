/**
 * A program in a network namespace of a test: it tells whoever connects who it is and whom it sees, and connects to others as
 * asked, a line of JSON at a time.
 */
import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import type { NetworkRequest } from "./service-network.ts";

const [name = "", port = "0"] = process.argv.slice(2);

const answerTo = (address = "") => `${name} ${address.replace(/^::ffff:/, "")}`;

async function serve(): Promise<void> {
  const server = createServer((socket) => void socket.on("error", () => undefined).end(answerTo(socket.remoteAddress)));
  await new Promise<void>((resolve) => server.listen(Number(port), "::", resolve));
  const datagrams = createSocket("udp6");
  datagrams.on("message", (_, { address, port: from }) => datagrams.send(answerTo(address), from, address));
  await new Promise<void>((resolve) => datagrams.bind(Number(port), "::", resolve));
}

/** The first answer, the code of the first error, or `timeout`. */
function attempt(timeoutMs: number, start: (end: (answer: string) => void) => () => void): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end("timeout"), timeoutMs);
    const stop = start((answer) => end(answer));
    function end(answer: string): void {
      clearTimeout(timer);
      stop();
      resolve(answer);
    }
  });
}

const codeOf = (error: Error & { readonly code?: string }): string => error.code ?? error.message;

const overTcp = ({ to, port: toPort, from, timeoutMs }: NetworkRequest) =>
  attempt(timeoutMs, (end) => {
    const socket = connect({ host: to, port: toPort, ...(from === undefined ? {} : { localAddress: from }) });
    socket.on("data", (data) => end(String(data))).on("error", (error) => end(codeOf(error)));
    return () => void socket.destroy();
  });

const overUdp = ({ to, port: toPort, from, timeoutMs }: NetworkRequest) =>
  attempt(timeoutMs, (end) => {
    const socket = createSocket(to.includes(":") ? "udp6" : "udp4");
    socket.on("message", (data) => end(String(data))).on("error", (error) => end(codeOf(error)));
    // Only a connected socket gets to know of ICMP errors.
    socket.bind(0, from, () => socket.connect(toPort, to, () => socket.send("who")));
    return () => void socket.removeAllListeners("message").close();
  });

await serve();
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const requests = JSON.parse(line) as readonly NetworkRequest[];
  const answers = await Promise.all(
    requests.map((request) => (request.protocol === "tcp" ? overTcp : overUdp)(request)),
  );
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
process.exit();
