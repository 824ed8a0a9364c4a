import dgram from "node:dgram";
import net from "node:net";
import packet, { type Packet } from "dns-packet";
import { frameOf, LengthFrames } from "../transport/length-frames.ts";

/** What a server does with a query: packets to send back, or undefined to stay silent. */
export type Behaviour = (query: Packet, bytes: Buffer, protocol: "udp" | "tcp") => readonly Buffer[] | undefined;

/** An upstream server of a test, on UDP and TCP. */
export interface FakeUpstream {
  readonly address: string;
  readonly port: number;
  /** Queries received so far. */
  readonly queries: readonly { readonly protocol: "udp" | "tcp"; readonly query: Packet; readonly fromPort: number }[];
  behaviour: Behaviour;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An answer to a query. */
export function answerTo(query: Packet, reply: Omit<Packet, "id" | "type" | "questions">): Buffer {
  const { id = 0, questions = [] } = query;
  return packet.encode({ type: "response", id, questions, flags: packet.RECURSION_AVAILABLE, ...reply });
}

/** Starts a server on a free port of 127.0.0.1. */
export async function startFakeUpstream(behaviour: Behaviour): Promise<FakeUpstream> {
  const queries: { protocol: "udp" | "tcp"; query: Packet; fromPort: number }[] = [];
  const sockets = new Set<net.Socket>();
  const handle = (bytes: Buffer, protocol: "udp" | "tcp", fromPort: number) => {
    const query = packet.decode(bytes);
    queries.push({ protocol, query, fromPort });
    return upstream.behaviour(query, bytes, protocol) ?? [];
  };
  const tcp = net.createServer((socket) => {
    sockets.add(socket);
    const frames = new LengthFrames();
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      for (const message of frames.push(chunk)) {
        for (const answer of handle(message, "tcp", socket.remotePort ?? 0)) socket.write(frameOf(answer));
      }
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const bound = tcp.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const udp = dgram.createSocket("udp4");
  udp.on("message", (bytes, from) => {
    for (const answer of handle(bytes, "udp", from.port)) udp.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", () => resolve()));
  const upstream: FakeUpstream = {
    address: "127.0.0.1",
    port,
    queries,
    behaviour,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
      await new Promise<void>((resolve) => udp.close(() => resolve()));
    },
  };
  return upstream;
}
