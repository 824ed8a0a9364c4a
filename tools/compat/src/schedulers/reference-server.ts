import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, logTail, poll, startEtcdCluster, startGuarded } from "@orchernetes/testkit";

/** An API server, and how to reach it as an administrator. */
export interface RunningServer {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  readonly token: string;
  /** Verifies the serving certificate. */
  readonly caFile: string;
  /** The end of its log. */
  log(): string;
  stop(): Promise<void>;
}

const TOKEN = "admin-token-of-tests";
const READY_TIMEOUT_MS = 120_000;

/** Whether the server answers that it is ready, to a user it knows. Its certificate is new and not verified. */
const isReady = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    https
      .get(
        `${url}/readyz`,
        { rejectUnauthorized: false, headers: { authorization: `Bearer ${TOKEN}` } },
        (response) => {
          response.resume();
          resolve(response.statusCode === 200);
        },
      )
      .once("error", () => resolve(false));
  });

function flagsOf(folder: string, etcd: string, port: number): readonly string[] {
  const keyFile = join(folder, "accounts.key");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(keyFile, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  const tokens = join(folder, "tokens.csv");
  writeFileSync(tokens, `${TOKEN},admin,admin-uid,"system:masters"\n`, { mode: 0o600 });
  return [
    `--etcd-servers=${etcd}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, "certs")}`,
    `--token-auth-file=${tokens}`,
    "--authorization-mode=AlwaysAllow",
    "--service-account-issuer=https://orchernetes.default.svc",
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    "--service-cluster-ip-range=10.96.0.0/16",
    // Nodes and pods are objects only: no controller makes accounts, and no agent makes nodes ready.
    "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
    // The only version in which this level has the capacity of CSI drivers.
    "--feature-gates=CSIStorageCapacity=true",
    "--runtime-config=storage.o8s.io/v1alpha1=true",
  ];
}

/**
 * Starts the reference's API server of level 1.20 with its own etcd.
 *
 * @param program path of its `kube-apiserver`
 * @throws Error with the end of its log when it ends, or is not ready within 120 s
 */
export async function startReferenceServer(program: string): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), "o8s-reference-"));
  mkdirSync(join(folder, "certs"));
  const etcd = await startEtcdCluster({ members: 1 });
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const logFile = join(folder, "kube-apiserver.log");
  const log = (): string => logTail(logFile, 30);
  const stopEtcd = async (): Promise<void> => {
    await etcd.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [client = ""] = etcd.urls;
    const server = await startGuarded({ command: [program, ...flagsOf(folder, client, port)], logFile });
    const stop = async (): Promise<void> => {
      await server.end();
      await stopEtcd();
    };
    await poll(
      { what: `the reference's API server at ${url}`, timeoutMs: READY_TIMEOUT_MS, intervalMs: 200 },
      () => !server.running || isReady(url),
    ).catch(async (error: unknown) => {
      await server.end();
      throw new Error(`the reference's API server is not ready:\n${log()}`, { cause: error });
    });
    if (!server.running) throw new Error(`the reference's API server ended:\n${log()}`);
    return { url, token: TOKEN, caFile: join(folder, "certs/apiserver.crt"), log, stop };
  } catch (error) {
    await stopEtcd();
    throw error;
  }
}
