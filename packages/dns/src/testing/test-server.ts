import dgram from "node:dgram";
import net from "node:net";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { type DnsMetrics, silentMetrics } from "../metrics.ts";
import { createDnsServer, type DnsServer, type DnsServerOptions } from "../server/dns-server.ts";
import { frameOf, LengthFrames } from "../transport/length-frames.ts";
import { createZone } from "../zone/zone.ts";
import type { ObjectSet } from "./object-set.ts";

/** A server of a test on a free port of 127.0.0.1. */
export interface TestServer {
  readonly server: DnsServer;
  readonly port: number;
  /** Sends a packet over UDP, from a local address, and returns the answer; undefined if there is none within `waitMs`. */
  ask(message: Buffer, waitMs?: number, from?: string): Promise<Buffer | undefined>;
  /** Sends packets over one TCP connection, and returns as many answers in the order of their arrival. */
  askOverTcp(messages: readonly Buffer[]): Promise<readonly Buffer[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server for the objects, with domain `cluster.local`. */
export async function startTestServer(
  objects: ObjectSet,
  options: Partial<Pick<DnsServerOptions, "upstreams" | "limits" | "logger" | "listeners" | "onState" | "admits">> & {
    readonly metrics?: Partial<DnsMetrics>;
  } = {},
): Promise<TestServer> {
  const stop = new AbortController();
  const server = createDnsServer({
    zone: createZone({ domain: "cluster.local", addresses: ["10.96.0.10"], objects, serial: () => 1 }),
    listeners: [{ address: "127.0.0.1", port: 0 }],
    upstreams: [],
    clock: systemClock,
    logger: silentLogger,
    retryMs: 20,
    ...options,
    metrics: { ...silentMetrics, ...options.metrics },
  });
  const running = server.run(stop.signal);
  while (server.serving.length === 0) await systemClock.sleep(1);
  const port = server.serving[0]?.port ?? 0;
  return {
    server,
    port,
    ask: (message, waitMs = 10_000, from = "127.0.0.1") => askOverUdp(port, message, waitMs, from),
    askOverTcp: (messages) => askOverTcp(port, messages),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

function askOverUdp(port: number, message: Buffer, waitMs: number, from: string): Promise<Buffer | undefined> {
  const socket = dgram.createSocket("udp4");
  return new Promise<Buffer | undefined>((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), waitMs);
    socket.on("error", reject);
    socket.on("message", (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.bind(0, from, () => socket.send(message, port, "127.0.0.1"));
  }).finally(() => socket.close());
}

function askOverTcp(port: number, messages: readonly Buffer[]): Promise<readonly Buffer[]> {
  const socket = net.connect(port, "127.0.0.1");
  return new Promise<readonly Buffer[]>((resolve, reject) => {
    const frames = new LengthFrames();
    const answers: Buffer[] = [];
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the connection was closed")));
    socket.on("data", (chunk: Buffer) => {
      answers.push(...frames.push(chunk).map((frame) => Buffer.from(frame)));
      if (answers.length >= messages.length) resolve(answers);
    });
    socket.write(Buffer.concat(messages.map(frameOf)));
  }).finally(() => socket.destroy());
}
