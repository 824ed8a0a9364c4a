/**
 * A program in a network namespace of a test: it tells whoever connects which place this is and whom it sees, sends back what it
 * gets over TCP, and connects to others as asked, a line of JSON at a time.
 */
import { createSocket } from "node:dgram";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { NetworkRequest } from "./network-lab.ts";

const [name = "", ...ports] = process.argv.slice(2);

const answerTo = (address = "") => `${name} ${address.replace(/^::ffff:/, "")}`;

async function serve(port: number): Promise<void> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined).write(answerTo(socket.remoteAddress));
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, "::", resolve));
  const datagrams = createSocket("udp6");
  datagrams.on("message", (_, { address, port: from }) => datagrams.send(answerTo(address), from, address));
  await new Promise<void>((resolve) => datagrams.bind(port, "::", resolve));
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

function connected({ to, port, from }: NetworkRequest, end: (answer: string) => void): Socket {
  const socket = connect({ host: to, port, ...(from === undefined ? {} : { localAddress: from }) });
  return socket.once("data", (data) => end(String(data))).on("error", (error) => end(codeOf(error)));
}

const overTcp = (request: NetworkRequest) =>
  attempt(request.timeoutMs, (end) => {
    const socket = connected(request, end);
    return () => void socket.destroy();
  });

/** Never one that was used before: to the kernel the same ports would be a connection that exists. */
let udpPort = 10_000;

const overUdp = ({ to, port, from, timeoutMs }: NetworkRequest) =>
  attempt(timeoutMs, (end) => {
    const socket = createSocket(to.includes(":") ? "udp6" : "udp4");
    socket.on("message", (data) => end(String(data))).on("error", (error) => end(codeOf(error)));
    // Only a connected socket gets to know of ICMP errors.
    socket.bind(udpPort++, from, () => socket.connect(port, to, () => socket.send("who")));
    return () => void socket.removeAllListeners("message").close();
  });

const held = new Map<string, Socket>();

const hold = (request: NetworkRequest) =>
  attempt(request.timeoutMs, (end) => {
    held.set(`${request.to} ${request.port}`, connected(request, end));
    return () => undefined;
  });

/** Whether a kept connection still carries data in both directions. */
const echo = ({ to, port, timeoutMs }: NetworkRequest) =>
  attempt(timeoutMs, (end) => {
    const socket = held.get(`${to} ${port}`);
    const onData = (data: Buffer) => end(`echo ${data}`);
    socket?.on("data", onData).write("ping");
    return () => void socket?.off("data", onData);
  });

const actions = { tcp: overTcp, udp: overUdp, hold, echo };

await Promise.all(ports.map((port) => serve(Number(port))));
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const requests = JSON.parse(line) as readonly NetworkRequest[];
  const answers = await Promise.all(requests.map((request) => actions[request.protocol](request)));
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
process.exit();
