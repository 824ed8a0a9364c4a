import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  freePort,
  type RunningDaemon,
  startDaemon,
  startTcpProxy,
  type TcpProxy,
  type TestApiServer,
} from "@orchernetes/testkit";

/** The controllers that run. */
const CONTROLLERS = "deployment,replicaset,statefulset,daemonset,job,garbagecollector";
/** A daemon of which two run. */
interface ReplicatedDaemon {
  readonly name: "orch-controller-manager" | "orch-scheduler";
  readonly flags: readonly string[];
  /**
   * Milliseconds after which the other one leads when the leader does not renew, at the latest on a machine that is not busy. As short as
   * a busy machine allows: a round waits for the next leader.
   */
  readonly leaseMs: number;
}

const controllerManager: ReplicatedDaemon = {
  name: "orch-controller-manager",
  flags: [
    `--controllers=${CONTROLLERS}`,
    "--controller-start-interval=0s",
    "--orch-api-qps=500",
    "--orch-api-burst=1000",
  ],
  leaseMs: 4000,
};

const leaseFlags = (leaseMs: number): readonly string[] => [
  "--leader-elect=true",
  `--leader-elect-lease-duration=${leaseMs}ms`,
  `--leader-elect-renew-deadline=${(leaseMs * 3) / 4}ms`,
  `--leader-elect-retry-period=${leaseMs / 8}ms`,
];
/** Interval at which managers that have ended are started again. */
const REVIVE_MS = 200;

/** A controller manager and its connection to the API server. */
export interface Manager {
  readonly daemon: RunningDaemon;
  readonly network: TcpProxy;
  /** Whether it took the lease since its process started, and has not noticed that it lost it. */
  leads(): boolean;
}

/** Two controller managers, or two of another daemon, of which one leads. */
export interface ManagerPair {
  readonly managers: readonly Manager[];
  /** @see ReplicatedDaemon.leaseMs */
  readonly leaseMs: number;
  /** How often a manager that had ended was started again. */
  readonly restarts: number;
  /** How often a manager took the lease. */
  terms(): number;
  /** The end of both logs. */
  log(lines?: number): string;
  stop(): Promise<void>;
}

/** Starts two controller managers with leader election. One that ends, for any reason, is started again, as a supervisor would. */
export async function startManagerPair(server: TestApiServer, kind = controllerManager): Promise<ManagerPair> {
  const managers = await Promise.all([startManager(server, kind), startManager(server, kind)]);
  let restarts = 0;
  let reviving = Promise.resolve();
  const revive = async (): Promise<void> => {
    for (const { daemon } of managers) {
      if (daemon.running) continue;
      restarts += 1;
      await daemon.restart();
    }
  };
  const timer = setInterval(() => {
    reviving = reviving.then(revive, revive);
  }, REVIVE_MS);
  return {
    managers,
    leaseMs: kind.leaseMs,
    get restarts() {
      return restarts;
    },
    terms: () => managers.reduce((sum, { daemon }) => sum + termsIn(readFileSync(daemon.logFile, "utf8")), 0),
    log: (lines = 100) => managers.map(({ daemon }) => daemon.log(lines)).join("\n--- the other manager ---\n"),
    async stop() {
      clearInterval(timer);
      await reviving;
      await Promise.all(managers.map(({ daemon }) => daemon.stop()));
      await Promise.all(managers.map(({ network }) => network.stop()));
    },
  };
}

async function startManager(server: TestApiServer, { name, flags, leaseMs }: ReplicatedDaemon): Promise<Manager> {
  const dir = mkdtempSync(join(server.dir, "manager-"));
  const network = await startTcpProxy(server.port);
  const config = join(dir, "client.orchconfig");
  const own = readFileSync(server.clientConfig, "utf8").replaceAll(server.url, `https://127.0.0.1:${network.port}`);
  writeFileSync(config, own, { mode: 0o600 });
  const daemon = await startDaemon({
    name,
    flags: [
      `--orchconfig=${config}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      `--cert-dir=${join(dir, "serving")}`,
      ...flags,
      ...leaseFlags(leaseMs),
    ],
    dir,
  });
  return { daemon, network, leads: () => leadsBy(readFileSync(daemon.logFile, "utf8")) };
}

const TAKEN = "Successfully acquired lease";

const termsIn = (log: string): number => log.split(TAKEN).length - 1;

/** Whether the last process that wrote to a log has the lease, by what it wrote. */
function leadsBy(log: string): boolean {
  const taken = log.lastIndexOf(TAKEN);
  return (
    taken >= 0 &&
    taken > log.lastIndexOf("Attempting to acquire leader lease") &&
    !log.includes("Leader election lost", taken)
  );
}
