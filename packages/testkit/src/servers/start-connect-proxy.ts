import { once } from "node:events";
import { writeFileSync } from "node:fs";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { assertNever, type DialTarget } from "@orchernetes/kernel";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@orchernetes/tls";

/** How a proxy responds to requests for tunnels. */
export type ConnectProxyBehaviour =
  /** Connects to the address that {@link ConnectProxyOptions.route} returns. */
  | { readonly type: "forward"; readonly delayMs?: number }
  | { readonly type: "refuse"; readonly status: number; readonly reason: string }
  /** Answers with this text. */
  | { readonly type: "garbage"; readonly text: string }
  /** Answers with headers that never end. */
  | { readonly type: "enormous" }
  /** Never answers. */
  | { readonly type: "silent" }
  /** Closes the connection without an answer. */
  | { readonly type: "hangUp" };

/** Options of {@link startConnectProxy}. */
export interface ConnectProxyOptions {
  /** Folder for its certificates, or its socket. */
  readonly dir: string;
  /**
   * `tls`: a port of 127.0.0.1 where clients must present a certificate. `tcp`: one without TLS. `uds`: a unix
   * socket.
   */
  readonly listen: "tls" | "tcp" | "uds";
  /** Real address of a target: it stands for the network behind the proxy. @default the target itself */
  readonly route?: (target: DialTarget) => DialTarget;
}

/** An HTTP proxy that opens tunnels (CONNECT, RFC 9110 section 9.3.6), and misbehaves as a test needs. */
export interface ConnectProxy {
  /** The `connection` of an egress selector configuration that leads to this proxy. */
  readonly connection: object;
  /** The targets of all requests so far, as `host:port`. */
  readonly targets: readonly string[];
  /** Open tunnels. */
  readonly tunnels: number;
  /** Responds like this from now on. */
  behave(behaviour: ConnectProxyBehaviour): void;
  /** Replaces its certificate by one whose authority is not that of {@link ConnectProxy.connection}. */
  impersonate(): Promise<void>;
  /** Breaks all connections. */
  cut(): void;
  stop(): Promise<void>;
}

/** Starts a proxy that forwards until its behaviour is changed with {@link ConnectProxy.behave}. */
export async function startConnectProxy(options: ConnectProxyOptions): Promise<ConnectProxy> {
  const { dir, listen, route = (target) => target } = options;
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const tunnels = new Set<Duplex>();
  let behaviour: ConnectProxyBehaviour = { type: "forward" };
  const authority = await createCertificateAuthority({ commonName: "proxy authority" });
  const server = listen === "tls" ? https.createServer(await tlsOf(authority, authority)) : http.createServer();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  });
  server.on("connect", ({ url = "" }: IncomingMessage, client: Duplex, head: Buffer) => {
    targets.push(url);
    client.on("error", () => undefined);
    respond(behaviour, client, () => {
      tunnels.add(client);
      client.once("close", () => tunnels.delete(client));
      return forward(client, head, route(targetOf(url)));
    });
  });
  if (listen === "uds") server.listen(join(dir, "proxy.sock"));
  else server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    connection: { proxyProtocol: "HTTPConnect", transport: await transportOf(options, server, authority) },
    targets,
    get tunnels() {
      return tunnels.size;
    },
    behave(next) {
      behaviour = next;
    },
    async impersonate() {
      const stranger = await createCertificateAuthority({ commonName: "stranger" });
      if (server instanceof https.Server) server.setSecureContext(await tlsOf(stranger, authority));
    },
    cut,
    async stop() {
      const closed = once(server, "close");
      server.close();
      cut();
      await closed;
    },
  };
}

async function tlsOf(own: CertificateAuthority, clients: CertificateAuthority) {
  const { certPem, keyPem } = await issueServerCertificate(own, { commonName: "proxy", hosts: ["127.0.0.1"] });
  return { cert: certPem, key: keyPem, ca: clients.certPem, requestCert: true, rejectUnauthorized: true };
}

async function transportOf(
  { dir, listen }: ConnectProxyOptions,
  server: http.Server,
  authority: CertificateAuthority,
): Promise<object> {
  if (listen === "uds") return { uds: { udsName: join(dir, "proxy.sock") } };
  const { port } = server.address() as AddressInfo;
  if (listen === "tcp") return { tcp: { url: `http://127.0.0.1:${port}` } };
  const client = await issueClientCertificate(authority, { commonName: "orch-apiserver" });
  const files = { caBundle: authority.certPem, clientCert: client.certPem, clientKey: client.keyPem };
  const tlsConfig = Object.fromEntries(
    Object.entries(files).map(([name, pem]) => {
      const path = join(dir, `proxy-${name}.pem`);
      writeFileSync(path, pem, { mode: 0o600 });
      return [name, path];
    }),
  );
  return { tcp: { url: `https://127.0.0.1:${port}`, tlsConfig } };
}

function targetOf(authority: string): DialTarget {
  const { hostname, port } = new URL(`tcp://${authority}`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function respond(how: ConnectProxyBehaviour, client: Duplex, open: () => void): void {
  switch (how.type) {
    case "forward":
      setTimeout(open, how.delayMs ?? 0);
      return;
    case "refuse":
      client.end(`HTTP/1.1 ${how.status} ${how.reason}\r\nContent-Length: 0\r\n\r\n`);
      return;
    case "garbage":
      client.end(how.text);
      return;
    case "enormous": {
      client.write("HTTP/1.1 200 OK\r\n");
      const writeHeaders = () => {
        while (!client.destroyed && client.write(`x: ${"y".repeat(1000)}\r\n`));
      };
      client.on("drain", writeHeaders);
      writeHeaders();
      return;
    }
    case "silent":
      return;
    case "hangUp":
      client.destroy();
      return;
    default:
      assertNever(how);
  }
}

function forward(client: Duplex, head: Buffer, { host, port }: DialTarget): void {
  const upstream = connect({ host, port });
  upstream.once("connect", () => {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  upstream.on("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"));
  upstream.once("close", () => client.destroy());
  client.once("close", () => upstream.destroy());
}
