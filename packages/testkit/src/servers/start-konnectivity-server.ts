import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { ServerDuplexStream, ServiceDefinition } from "@grpc/grpc-js";
import { assertNever, type DialTarget } from "@orchernetes/kernel";
import type { Type } from "protobufjs";

/**
 * The messages between clients and servers of konnectivity (konnectivity-client/proto/client of
 * apiserver-network-proxy).
 */
const PROTO = `
syntax = "proto3";
enum PacketType { DIAL_REQ = 0; DIAL_RSP = 1; CLOSE_REQ = 2; CLOSE_RSP = 3; DATA = 4; DIAL_CLS = 5; DRAIN = 6; }
message Packet {
  PacketType type = 1;
  oneof payload {
    DialRequest dialRequest = 2;
    DialResponse dialResponse = 3;
    Data data = 4;
    CloseRequest closeRequest = 5;
    CloseResponse closeResponse = 6;
    CloseDial closeDial = 7;
  }
}
message DialRequest { string protocol = 1; string address = 2; int64 random = 3; }
message DialResponse { string error = 1; int64 connectID = 2; int64 random = 3; }
message CloseRequest { int64 connectID = 1; }
message CloseResponse { string error = 1; int64 connectID = 2; }
message CloseDial { int64 random = 1; }
message Data { int64 connectID = 1; string error = 2; bytes data = 3; }
`;

/** How a server responds to requests for connections. */
export type KonnectivityBehaviour =
  /** Connects to the address that {@link KonnectivityOptions.route} returns. */
  | { readonly type: "forward" }
  | { readonly type: "refuse"; readonly error: string }
  /** Drops requests with DIAL_CLS. */
  | { readonly type: "drop" }
  /** Answers with the number of another request. */
  | { readonly type: "confuse" }
  /** Opens the connection, then sends data with the id of another one. */
  | { readonly type: "mixUp" }
  /** Sends bytes that are not a packet. */
  | { readonly type: "garbage" }
  /** Never answers. */
  | { readonly type: "silent" };

/** Options of {@link startKonnectivityServer}. */
export interface KonnectivityOptions {
  /** Folder for its socket. */
  readonly dir: string;
  /** Real address of a target: it stands for the network behind the server. @default the target itself */
  readonly route?: (target: DialTarget) => DialTarget;
}

/** A server of konnectivity's ProxyService on a unix socket that misbehaves as a test needs. */
export interface KonnectivityServer {
  /** The `connection` of an egress selector configuration that leads to this server. */
  readonly connection: object;
  /** The targets of all requests so far, as `host:port`. */
  readonly targets: readonly string[];
  /** Open connections to targets. */
  readonly tunnels: number;
  /** Responds like this from now on. */
  behave(behaviour: KonnectivityBehaviour): void;
  /** Ends all calls of clients with status UNAVAILABLE, and their connections to targets. */
  cut(): void;
  stop(): void;
}

/** The fields of a packet that are read here. */
interface Received {
  readonly dialRequest?: { readonly address: string; readonly random: unknown };
  readonly data?: { readonly data: Uint8Array };
  readonly closeRequest?: object;
}
type Stream = ServerDuplexStream<Buffer, Buffer>;

/** A call of a client. */
interface Call {
  readonly stream: Stream;
  readonly messages: Type;
}

const identity = (bytes: Buffer): Buffer => bytes;
/** A 64-bit id beyond the numbers that JavaScript represents exactly: it shows whether clients keep all its digits. */
const CONNECT_ID = "9007199254740995";

/** Status of gRPC. */
const UNAVAILABLE = 14;

/** Starts a server that forwards until its behaviour is changed with {@link KonnectivityServer.behave}. */
export async function startKonnectivityServer(options: KonnectivityOptions): Promise<KonnectivityServer> {
  const { route = (target) => target } = options;
  const path = join(options.dir, "konnectivity.sock");
  const targets: string[] = [];
  const tunnels = new Set<Socket>();
  const streams = new Map<Stream, () => Socket | undefined>();
  let behaviour: KonnectivityBehaviour = { type: "forward" };
  // Loaded on first use: few tests need them.
  const { Server, ServerCredentials } = await import("@grpc/grpc-js");
  const { default: protobuf } = await import("protobufjs");
  const messages = protobuf.parse(PROTO).root.lookupType("Packet");
  const server = new Server();
  const proxy = {
    path: "/ProxyService/Proxy",
    requestStream: true,
    responseStream: true,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  };
  server.addService({ Proxy: proxy } as unknown as ServiceDefinition, {
    Proxy(stream: Stream) {
      const call = { stream, messages };
      let upstream: Socket | undefined;
      streams.set(stream, () => upstream);
      stream.on("error", () => undefined).once("close", () => streams.delete(stream));
      stream.on("data", (bytes: Buffer) => {
        const { dialRequest, data, closeRequest } = messages.decode(bytes) as unknown as Received;
        if (dialRequest) {
          targets.push(dialRequest.address);
          upstream = respond(behaviour, call, dialRequest, (address) => route(targetOf(address)));
          if (upstream === undefined) return;
          const opened = upstream;
          tunnels.add(opened);
          opened.once("close", () => tunnels.delete(opened));
        } else if (data) upstream?.write(data.data);
        else if (closeRequest) upstream?.destroy();
      });
      stream.on("end", () => stream.end());
      stream.on("cancelled", () => upstream?.destroy());
    },
  });
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  return {
    connection: { proxyProtocol: "GRPC", transport: { uds: { udsName: path } } },
    targets,
    get tunnels() {
      return tunnels.size;
    },
    behave(next) {
      behaviour = next;
    },
    cut() {
      for (const [stream, upstream] of streams) {
        stream.emit("error", Object.assign(new Error("cut"), { code: UNAVAILABLE }));
        upstream()?.destroy();
      }
    },
    stop: () => server.forceShutdown(),
  };
}

function targetOf(address: string): DialTarget {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
}

const send = ({ stream, messages }: Call, packet: object): void => {
  stream.write(Buffer.from(messages.encode(messages.fromObject(packet)).finish()));
};

function respond(
  how: KonnectivityBehaviour,
  call: Call,
  { address, random }: { readonly address: string; readonly random: unknown },
  route: (address: string) => DialTarget,
): Socket | undefined {
  const opened = { type: "DIAL_RSP", dialResponse: { connectID: CONNECT_ID, random } };
  switch (how.type) {
    case "forward":
      return forward(call, opened, route(address));
    case "refuse":
      send(call, { type: "DIAL_RSP", dialResponse: { error: how.error, random } });
      return undefined;
    case "drop":
      send(call, { type: "DIAL_CLS", closeDial: { random } });
      return undefined;
    case "confuse":
      send(call, { type: "DIAL_RSP", dialResponse: { connectID: CONNECT_ID, random: 1 } });
      return undefined;
    case "mixUp":
      send(call, opened);
      send(call, { type: "DATA", data: { connectID: 7, data: Buffer.from("stranger") } });
      return undefined;
    case "garbage":
      call.stream.write(Buffer.from("no packet"));
      return undefined;
    case "silent":
      return undefined;
    default:
      return assertNever(how);
  }
}

function forward(call: Call, opened: object, { host, port }: DialTarget): Socket {
  const upstream = connect({ host, port });
  const connectID = CONNECT_ID;
  upstream.once("connect", () => send(call, opened));
  upstream.on("data", (data) => send(call, { type: "DATA", data: { connectID, data } }));
  upstream.on("error", () => undefined);
  upstream.once("close", () => send(call, { type: "CLOSE_RSP", closeResponse: { connectID } }));
  return upstream;
}
