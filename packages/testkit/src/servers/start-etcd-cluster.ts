import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import { openEtcdStore } from "@orchernetes/storage";
import { freePort } from "../processes/free-port.ts";
import { type GuardedProcess, logTail, startGuarded } from "../processes/guarded-process.ts";
import { poll } from "../processes/poll.ts";

const BINARY = "/usr/bin/etcd";
const READY_TIMEOUT_MS = 60_000;

/** PEM files for etcd with TLS and client certificates. */
export interface EtcdTls {
  readonly caFile: string;
  /** Serving certificate, for `127.0.0.1`. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCertFile: string;
  readonly clientKeyFile: string;
}

/** Number of members, TLS and further flags. */
export interface StartEtcdClusterOptions {
  /** @default 3 */
  readonly members?: number;
  /** TLS between clients and members; members use plain HTTP with each other. */
  readonly tls?: EtcdTls;
  /** Further flags of every member. */
  readonly args?: readonly string[];
}

/** One member of the cluster. */
export interface EtcdMember {
  readonly url: string;
  readonly port: number;
  readonly running: boolean;
  /** SIGSTOP: its connections stay open without responses. */
  pause(): void;
  resume(): void;
  /** SIGKILL; its data stays. */
  kill9(): Promise<void>;
  /** Starts it again on the same ports and data. Does not wait until it responds. */
  start(): Promise<void>;
}

/** A running etcd of several members on free ports of 127.0.0.1. */
export interface EtcdCluster {
  readonly members: readonly EtcdMember[];
  readonly urls: readonly string[];
  /** Resolves when it serves linearizable reads. */
  ready(): Promise<void>;
  /** Ends all members and removes their data. */
  stop(): Promise<void>;
}

/**
 * Starts etcd and waits until it serves reads. Its members skip fsync: tests are about connections and leaders, not
 * about crashes of the machine.
 *
 * @throws Error with the end of a log when it is not ready within 60 s
 */
export async function startEtcdCluster(options: StartEtcdClusterOptions = {}): Promise<EtcdCluster> {
  const { members: count = 3, tls, args = [] } = options;
  const dir = mkdtempSync(join(tmpdir(), "etcd-cluster-"));
  const places: { name: string; port: number; url: string; peer: string }[] = [];
  const scheme = tls === undefined ? "http" : "https";
  for (let i = 0; i < count; i++) {
    const port = await freePort();
    places.push({
      name: `m${i}`,
      port,
      url: `${scheme}://127.0.0.1:${port}`,
      peer: `http://127.0.0.1:${await freePort()}`,
    });
  }
  const initialCluster = places.map(({ name, peer }) => `${name}=${peer}`).join(",");
  const members = places.map((place) => new Member(place, dir, flagsOf(place, dir, initialCluster, tls, args)));
  const urls = places.map(({ url }) => url);
  const ready = async () => {
    await poll({ what: "etcd to serve reads", timeoutMs: READY_TIMEOUT_MS, intervalMs: 50 }, async () => {
      const store = await openEtcdStore({
        servers: urls,
        dialTimeoutMs: 2000,
        requestTimeoutMs: 2000,
        ...(tls && { caFile: tls.caFile, certFile: tls.clientCertFile, keyFile: tls.clientKeyFile }),
      });
      await store.close();
      return true;
    });
  };
  const stop = async () => {
    await Promise.all(members.map((member) => member.kill9()));
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await Promise.all(members.map((member) => member.start()));
    await ready();
  } catch (error) {
    const log = logTail(join(dir, "m0.log"));
    await stop();
    throw new Error(`etcd did not start: ${messageOf(error)}\n${log}`, { cause: error });
  }
  return { members, urls, ready, stop };
}

function flagsOf(
  { name, url, peer }: { readonly name: string; readonly url: string; readonly peer: string },
  dir: string,
  initialCluster: string,
  tls: EtcdTls | undefined,
  args: readonly string[],
): readonly string[] {
  return [
    ...["--name", name, "--data-dir", join(dir, name), "--log-level", "error", "--logger", "zap", "--unsafe-no-fsync"],
    ...["--listen-client-urls", url, "--advertise-client-urls", url],
    ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", initialCluster],
    ...(tls === undefined
      ? []
      : [
          "--cert-file",
          tls.certFile,
          "--key-file",
          tls.keyFile,
          "--client-cert-auth",
          "--trusted-ca-file",
          tls.caFile,
        ]),
    ...args,
  ];
}

class Member implements EtcdMember {
  readonly url: string;
  readonly port: number;
  readonly #command: readonly string[];
  readonly #logFile: string;
  #process: GuardedProcess | undefined;

  constructor(
    place: { readonly name: string; readonly url: string; readonly port: number },
    dir: string,
    flags: readonly string[],
  ) {
    this.url = place.url;
    this.port = place.port;
    this.#command = [BINARY, ...flags];
    this.#logFile = join(dir, `${place.name}.log`);
  }

  get running(): boolean {
    return this.#process?.running ?? false;
  }

  pause(): void {
    if (this.#process !== undefined) process.kill(this.#process.pid, "SIGSTOP");
  }

  resume(): void {
    if (this.#process !== undefined) process.kill(this.#process.pid, "SIGCONT");
  }

  async kill9(): Promise<void> {
    await this.#process?.end("SIGKILL");
  }

  async start(): Promise<void> {
    if (!this.running) this.#process = await startGuarded({ command: this.#command, logFile: this.#logFile });
  }
}
