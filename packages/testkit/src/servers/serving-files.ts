import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import {
  type CertificateAuthority,
  type CertificatePair,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@orchernetes/tls";
import type { DaemonName } from "../processes/daemon-path.ts";
import { freePort } from "../processes/free-port.ts";
import { poll } from "../processes/poll.ts";
import { type RunningDaemon, startDaemon } from "./start-daemon.ts";

/** Behaviour of a running daemon when the files of its secure port are replaced. */
export interface ServingFilesReport {
  /** Common names of the certificates that it served before, by default and for the name `sni.example`. */
  readonly before: readonly [standard: string, named: string];
  readonly after: readonly [standard: string, named: string];
  /** Status codes for clients of an authority that stays in the bundle and of one that is removed from it, before. */
  readonly answers: readonly [kept: number, removed: number];
  /** Their status codes on new connections, after. */
  readonly answersAfter: readonly [kept: number, removed: number];
  /** Whether the connections that they had open were closed. */
  readonly closed: readonly [kept: boolean, removed: boolean];
}

/** Options of {@link replaceServingFiles}. */
export interface ReplaceServingFilesOptions {
  /** Folder for the files. */
  readonly dir: string;
  readonly port: number;
  /** A path that members of system:masters may read. */
  readonly path: string;
  /** Starts the daemon with these flags, or equivalent settings, on 127.0.0.1 and the port. */
  readonly start: (flags: readonly string[]) => Promise<unknown>;
}

/** Time limit for a change to take effect, in milliseconds. */
const timeoutMs = 30_000;

/**
 * Starts a daemon with `--client-ca-file`, `--tls-cert-file`, `--tls-private-key-file` and `--tls-sni-cert-key`, replaces the
 * files of all of them, and reports what changes without a restart.
 *
 * @throws Error when it does not serve the new certificates in time, or keeps the connection of the removed authority
 */
export async function replaceServingFiles(options: ReplaceServingFilesOptions): Promise<ServingFilesReport> {
  const { dir, port, path } = options;
  const file = (name: string) => join(dir, name);
  const [own, kept, removed] = await Promise.all([
    createCertificateAuthority({ commonName: "serving" }),
    createCertificateAuthority({ commonName: "kept" }),
    createCertificateAuthority({ commonName: "removed" }),
  ]);
  const write = async (name: string, commonName: string): Promise<void> => {
    const { certPem, keyPem } = await issueServerCertificate(own, { commonName, hosts: ["127.0.0.1", "sni.example"] });
    writeFileSync(file(`${name}.key`), keyPem, { mode: 0o600 });
    writeFileSync(file(`${name}.crt`), certPem);
  };
  await Promise.all([write("serving", "first"), write("sni", "first of the name")]);
  writeFileSync(file("client-ca.crt"), kept.certPem + removed.certPem);
  await options.start([
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--client-ca-file=${file("client-ca.crt")}`,
    `--tls-cert-file=${file("serving.crt")}`,
    `--tls-private-key-file=${file("serving.key")}`,
    `--tls-sni-cert-key=${file("sni.crt")},${file("sni.key")}:sni.example`,
  ]);
  const names = () => Promise.all([servedName(port), servedName(port, "sni.example")]);
  const before = await poll({ what: `a server at port ${port}`, timeoutMs }, () => names().catch(() => undefined));
  const [stays, leaves] = await Promise.all([openConnection(port, kept), openConnection(port, removed)]);
  try {
    const answers = [await stays.get(path), await leaves.get(path)] as const;
    await Promise.all([write("serving", "second"), write("sni", "second of the name")]);
    writeFileSync(file("client-ca.crt"), kept.certPem);
    await poll({ what: "the end of the connection of the removed authority", timeoutMs }, leaves.isClosed);
    const after = await poll({ what: "new certificates to be served", timeoutMs }, async () => {
      const now = await names();
      return now.every((name, index) => name !== before[index]) && now;
    });
    const closed = [stays.isClosed(), leaves.isClosed()] as const;
    const fresh = await Promise.all([openConnection(port, kept), openConnection(port, removed)]);
    const [one, other] = fresh;
    const answersAfter = [await one.get(path), await other.get(path)] as const;
    for (const connection of fresh) connection.close();
    return { before, after, answers, answersAfter, closed };
  } finally {
    stays.close();
    leaves.close();
  }
}

/** Common name of the certificate that a server presents. */
function servedName(port: number, servername?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...(servername && { servername }) });
    socket.once("error", reject).once("secureConnect", () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
  });
}

/** A client in system:masters, whose connection is kept between requests. */
async function openConnection(port: number, authority: CertificateAuthority) {
  const pair: CertificatePair = await issueClientCertificate(authority, {
    commonName: "client",
    organizations: ["system:masters"],
  });
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  let closed = false;
  const get = (path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const tls = { cert: pair.certPem, key: pair.keyPem, rejectUnauthorized: false };
      const request = https.get({ host: "127.0.0.1", port, path, agent, ...tls }, (response) => {
        response.socket.once("close", () => {
          closed = true;
        });
        response.resume().once("end", () => resolve(response.statusCode ?? 0));
      });
      request.once("error", reject);
    });
  return { get, isClosed: () => closed, close: () => agent.destroy() };
}

/**
 * {@link replaceServingFiles} with a daemon of its own, which is stopped, and whose folder is deleted, in the end.
 *
 * @param path one that members of system:masters may read
 * @param flags the other flags of the daemon, which may keep files in the folder
 */
export async function replaceServingFilesOf(
  name: DaemonName,
  path: string,
  flags: (dir: string) => readonly string[],
): Promise<ServingFilesReport> {
  const dir = mkdtempSync(join(tmpdir(), "serving-files-"));
  let daemon: RunningDaemon | undefined;
  try {
    return await replaceServingFiles({
      dir,
      port: await freePort(),
      path,
      async start(serving) {
        daemon = await startDaemon({ name, flags: [...flags(dir), ...serving], dir });
      },
    });
  } finally {
    await daemon?.stop();
    rmSync(dir, { recursive: true });
  }
}
