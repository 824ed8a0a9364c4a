import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@orchernetes/client";
import { messageOf } from "@orchernetes/kernel";
import { type RunningEtcd, startEtcd } from "@orchernetes/storage/testing";
import type { DaemonCommandOptions } from "../processes/daemon-path.ts";
import { freePort } from "../processes/free-port.ts";
import { poll } from "../processes/poll.ts";
import { type RunningDaemon, startDaemon } from "./start-daemon.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

const READY_TIMEOUT_MS = 120_000;

/** Store, flags and environment of the server that {@link startApiServer} starts. */
export interface StartApiServerOptions extends DaemonCommandOptions {
  /** `etcd` starts a separate etcd, which stops with the server. @default "embedded" */
  readonly store?: "embedded" | "etcd";
  /** Whether the server reaches its etcd through a proxy that can disturb the connection. @default false */
  readonly networkToEtcd?: boolean;
  /** `--authorization-mode`. @default "AlwaysAllow" */
  readonly authorizationMode?: string;
  /** Further flags; a flag that is repeated here has precedence over the fixture's. */
  readonly flags?: readonly string[];
  /** Further environment variables, given the server's folder. */
  readonly env?: (dir: string) => Readonly<NodeJS.ProcessEnv>;
  /** Stops the server when it aborts. */
  readonly signal?: AbortSignal;
}

/** An API server as a child process, on a free port of 127.0.0.1 with its own folder. */
export interface TestApiServer {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  /** Token of a user in group system:masters. */
  readonly token: string;
  /** Verifies the serving certificate. */
  readonly caFile: string;
  /** Client configuration file with that token, for kubectl and for daemons. */
  readonly clientConfig: string;
  /** Folder of its data, certificates and log. */
  readonly dir: string;
  readonly pid: number;
  readonly running: boolean;
  /** From the start of the process to the first 200 of /readyz, in milliseconds; of the latest start. */
  readonly readyAfterMs: number;
  /** Its etcd; undefined with the embedded store. */
  readonly etcd: RunningEtcd | undefined;
  /** The proxy between the server and its etcd, if `networkToEtcd` is set. */
  readonly network: TcpProxy | undefined;
  /** Creates a client of the administrator. It is closed with the server. */
  client(): Client;
  /** The end of its log. */
  log(lines?: number): string;
  /** Kills it with SIGKILL. Data, port and token are kept for {@link TestApiServer.restart}. */
  kill9(): Promise<void>;
  /** Ends it if it runs, starts it with the same data and port, and waits until it is ready. */
  restart(): Promise<void>;
  /** Ends it (and its etcd), and removes its folder. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts an API server and waits until `/readyz` returns 200. The server ends with this process at the latest.
 *
 * @throws Error with the end of its log when it ends, or is not ready within 120 s
 */
export async function startApiServer(options: StartApiServerOptions = {}): Promise<TestApiServer> {
  const { store = "embedded", networkToEtcd = false, authorizationMode = "AlwaysAllow", signal } = options;
  const dir = mkdtempSync(join(tmpdir(), "o8s-api-"));
  const token = "admin-token-of-tests";
  const tokenFile = join(dir, "tokens.csv");
  writeFileSync(tokenFile, `${token},admin,admin-uid,"system:masters"\n`, { mode: 0o600 });
  const certDir = join(dir, "certs");
  mkdirSync(certDir);
  const caFile = join(certDir, "apiserver.crt");
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const network = etcd && networkToEtcd ? await startTcpProxy(Number(new URL(etcd.url).port)) : undefined;
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const flags = [
    ...servingFlags(port, certDir),
    `--token-auth-file=${tokenFile}`,
    `--authorization-mode=${authorizationMode}`,
    ...storeFlags(dir, network === undefined ? etcd?.url : `http://127.0.0.1:${network.port}`),
    ...(options.flags ?? []),
  ];
  let daemon: RunningDaemon | undefined;
  let readyAfterMs = 0;
  const whenReady = async (started: number): Promise<void> => {
    await poll(
      { what: `the API server at ${url} to be ready`, timeoutMs: READY_TIMEOUT_MS, intervalMs: 5 },
      () => daemon?.running === false || isReady(port),
    );
    if (daemon?.running === false) throw new Error(`the API server ended before it was ready:\n${daemon.log()}`);
    readyAfterMs = performance.now() - started;
  };
  const clients: Client[] = [];
  const stop = async (): Promise<void> => {
    for (const client of clients.splice(0)) client.close();
    await daemon?.stop();
    await network?.stop();
    await etcd?.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  signal?.addEventListener("abort", () => void stop(), { once: true });
  try {
    const started = performance.now();
    const running = await startDaemon({
      name: "orch-apiserver",
      flags,
      dir,
      root: options.root,
      from: options.from,
      ...(options.env === undefined ? {} : { env: options.env(dir) }),
    });
    daemon = running;
    await whenReady(started);
    const clientConfig = join(dir, "admin.orchconfig");
    writeFileSync(clientConfig, clientConfigOf(url, caFile, token), { mode: 0o600 });
    return {
      url,
      port,
      token,
      caFile,
      clientConfig,
      dir,
      get pid() {
        return running.pid;
      },
      get running() {
        return running.running;
      },
      get readyAfterMs() {
        return readyAfterMs;
      },
      etcd,
      network,
      client() {
        const client = createClient({ server: url, tls: { ca: readFileSync(caFile) }, token });
        clients.push(client);
        return client;
      },
      log: (lines) => running.log(lines),
      kill9: () => running.kill9(),
      async restart() {
        await running.stop();
        const again = performance.now();
        await running.restart();
        await whenReady(again);
      },
      stop,
    };
  } catch (error) {
    const log = daemon?.log() ?? "";
    await stop();
    throw new Error(`${messageOf(error)}\n${log}`, { cause: error });
  }
}

function servingFlags(port: number, certDir: string): readonly string[] {
  return [
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--advertise-address=127.0.0.1",
    `--cert-dir=${certDir}`,
  ];
}

/** Flags of the store: etcd at an address, or the embedded one. */
function storeFlags(dir: string, etcd: string | undefined): readonly string[] {
  return etcd === undefined
    ? ["--storage-backend=embedded", `--embedded-store-path=${join(dir, "store")}`]
    : ["--storage-backend=etcd3", `--etcd-servers=${etcd}`];
}

function clientConfigOf(server: string, caFile: string, token: string): string {
  const ca = readFileSync(caFile).toString("base64");
  return `${JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority-data": ca } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
    "current-context": "test",
  })}\n`;
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const request = https.get(
      // No secret is sent, and the certificate may not be written yet.
      { host: "127.0.0.1", port, path: "/readyz", rejectUnauthorized: false, agent: false, timeout: 10_000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.on("timeout", () => request.destroy(new Error("no response within 10 s")));
    request.on("error", reject);
  });
}
