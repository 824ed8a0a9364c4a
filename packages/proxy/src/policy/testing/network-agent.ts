/**
 * A program that runs in the network namespace of a pod of a test: it answers at the ports of its arguments, and connects to
 * others as asked, a line of JSON at a time.
 */
import { createSocket } from "node:dgram";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { LabRequest } from "./network-lab.ts";

interface Question {
  readonly timeoutMs: number;
  readonly requests: readonly LabRequest[];
}

/** Sends back whatever comes, over TCP and UDP, at every address. */
async function serve(port: number): Promise<void> {
  const server = createServer((socket) => socket.on("error", () => undefined).pipe(socket));
  await new Promise<void>((resolve) => server.listen(port, "::", resolve));
  const datagrams = createSocket("udp6");
  datagrams.on("message", (message, { address, port: from }) => datagrams.send(message, from, address));
  await new Promise<void>((resolve) => datagrams.bind(port, "::", resolve));
}

/** The first of a success, an error and the end of the time. */
function attempt(timeoutMs: number, start: (end: (worked: boolean) => void) => () => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(false), timeoutMs);
    const stop = start((worked) => end(worked));
    function end(worked: boolean): void {
      clearTimeout(timer);
      stop();
      resolve(worked);
    }
  });
}

const tryTcp = ({ to, port }: LabRequest, timeoutMs: number) =>
  attempt(timeoutMs, (end) => {
    const socket = connect({ host: to, port });
    socket.on("connect", () => end(true)).on("error", () => end(false));
    return () => void socket.destroy();
  });

/** Never one that was used before: to the kernel the same ports would be a connection that exists. */
let udpPort = 10_000;

const tryUdp = ({ to, port }: LabRequest, timeoutMs: number) =>
  attempt(timeoutMs, (end) => {
    const socket = createSocket(to.includes(":") ? "udp6" : "udp4");
    socket.on("message", () => end(true)).on("error", () => end(false));
    socket.bind(udpPort++, () => socket.send("ping", port, to));
    return () => void socket.removeAllListeners("message").close();
  });

const held = new Map<string, Socket>();

const hold = ({ to, port }: LabRequest, timeoutMs: number) =>
  attempt(timeoutMs, (end) => {
    const socket = connect({ host: to, port });
    socket.on("connect", () => end(true)).on("error", () => end(false));
    held.set(`${to} ${port}`, socket);
    return () => undefined;
  });

/** Whether a kept connection still carries data in both directions. */
const echo = ({ to, port }: LabRequest, timeoutMs: number) =>
  attempt(timeoutMs, (end) => {
    const socket = held.get(`${to} ${port}`);
    const onData = () => end(true);
    socket?.on("data", onData).write("ping");
    return () => void socket?.off("data", onData);
  });

const actions = { TCP: tryTcp, UDP: tryUdp, hold, echo };

await Promise.all(process.argv.slice(2).map((port) => serve(Number(port))));
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { timeoutMs, requests } = JSON.parse(line) as Question;
  const answers = await Promise.all(requests.map((request) => actions[request.protocol](request, timeoutMs)));
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
process.exit();
