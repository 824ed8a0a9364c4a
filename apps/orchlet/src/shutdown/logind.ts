import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BusConnection, connectBus, type Variant } from "@orchernetes/host/dbus";
import { messageOf } from "@orchernetes/kernel";

const manager = {
  destination: "org.freedesktop.login1",
  path: "/org/freedesktop/login1",
  interface: "org.freedesktop.login1.Manager",
} as const;

/** Paths that tests replace. @default those of the host */
export interface LogindPlaces {
  readonly socketPath?: string | undefined;
  /** Folder of logind's drop-in files. @default /etc/systemd/logind.conf.d */
  readonly confDir?: string | undefined;
  /** The program that holds locks. @default systemd-inhibit */
  readonly inhibitProgram?: string | undefined;
}

/** The host's login manager, which delays shutdowns. */
export interface Logind {
  /** How long a shutdown waits for locks, in microseconds (`InhibitDelayMaxUSec`). @throws Error */
  inhibitDelayUs(): Promise<bigint>;
  /** Sets that time in a drop-in file and has logind read its configuration again. @throws Error */
  overrideInhibitDelay(seconds: number): Promise<void>;
  /**
   * Takes a lock that delays a shutdown until it is released.
   *
   * @throws Error if it is refused, or the program systemd-inhibit is missing
   */
  inhibit(): Promise<InhibitLock>;
  /** Calls the listener with true when a shutdown begins, and with false when it is cancelled. @throws Error */
  onShutdown(listener: (begins: boolean) => void): Promise<void>;
  /** Resolves when the connection to the bus has ended. */
  readonly closed: Promise<unknown>;
  close(): void;
}

/** A lock that delays a shutdown. */
export interface InhibitLock {
  release(): void;
  /** Resolves when the lock is no longer held, also without {@link InhibitLock.release}. */
  readonly ended: Promise<void>;
}

/** Connects to the login manager over the system bus. @throws Error if there is no bus */
export async function connectLogind(places: LogindPlaces = {}): Promise<Logind> {
  const { confDir = "/etc/systemd/logind.conf.d", inhibitProgram = "systemd-inhibit" } = places;
  const bus = await connectBus(places.socketPath);
  return {
    inhibitDelayUs: () => inhibitDelayUs(bus),
    async overrideInhibitDelay(seconds) {
      mkdirSync(confDir, { recursive: true, mode: 0o755 });
      writeFileSync(
        join(confDir, "99-orchlet.conf"),
        `# Orchlet logind override\n[Login]\nInhibitDelayMaxSec=${seconds}\n`,
        {
          mode: 0o644,
        },
      );
      await bus.call({
        destination: "org.freedesktop.systemd1",
        path: "/org/freedesktop/systemd1",
        interface: "org.freedesktop.systemd1.Manager",
        member: "KillUnit",
        signature: "ssi",
        body: ["systemd-logind.service", "all", 1],
      });
    },
    inhibit: () => inhibit(inhibitProgram, bus.closed),
    onShutdown: (listener) => subscribe(bus, listener),
    closed: bus.closed,
    close: () => bus.close(),
  };
}

async function inhibitDelayUs(bus: BusConnection): Promise<bigint> {
  const [value] = await bus.call({
    ...manager,
    interface: "org.freedesktop.DBus.Properties",
    member: "Get",
    signature: "ss",
    body: [manager.interface, "InhibitDelayMaxUSec"],
  });
  const { value: found } = (typeof value === "object" && value !== null ? value : {}) as Partial<Variant>;
  if (typeof found === "bigint") return found;
  throw new Error("logind returned no number for InhibitDelayMaxUSec");
}

const subscribe = (bus: BusConnection, listener: (begins: boolean) => void): Promise<void> =>
  bus.subscribe(
    // Every user of the host may send signals: one of another sender must not end the pods.
    { path: manager.path, interface: manager.interface, member: "PrepareForShutdown", sender: manager.destination },
    ([begins]) => listener(begins === true),
  );

/** Limit for systemd-inhibit to get the lock, in milliseconds: as long as answers of the bus may take. */
const lockMs = 25_000;

/**
 * logind hands the lock over as a file descriptor, which Node cannot receive. The program systemd-inhibit holds it as long as the
 * program that it runs: `cat`, which ends when its input does, also if this process is killed.
 *
 * @param closed resolves when nobody waits for the lock any more
 */
async function inhibit(program: string, closed: Promise<unknown>): Promise<InhibitLock> {
  const args = ["--what=shutdown", "--who=orchlet", "--why=Orchlet needs time to handle node shutdown", "--mode=delay"];
  const holder: ChildProcess = spawn(program, [...args, "cat"], { stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  holder.stderr?.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString("utf8")).slice(0, 500);
  });
  holder.stdin?.on("error", () => undefined);
  const ended = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const fail = (why: string): void => failed.reject(new Error(`the shutdown of the host cannot be delayed: ${why}`));
  holder.on("error", (error) => fail(`${messageOf(error)}; want program systemd-inhibit`));
  holder.on("exit", (code) => {
    fail(`${program} ended with code ${code}: ${errors.trim()}`);
    ended.resolve();
  });
  const timer = setTimeout(() => fail(`${program} has no lock after ${lockMs / 1000} s`), lockMs);
  void closed.then(() => fail("the connection to the system bus has ended"));
  try {
    // cat echoes its input: then systemd-inhibit has the lock and has started cat.
    holder.stdin?.write("held\n");
    if (holder.stdout !== null) await Promise.race([once(holder.stdout, "data"), failed.promise]);
  } catch (error) {
    holder.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return { release: () => void holder.stdin?.end(), ended: ended.promise };
}
