import { type BusConnection, connectBus, DbusError, type DbusValue } from "@orchernetes/host/dbus";
import type { Clock } from "@orchernetes/kernel";
import type { UnitProperty } from "./systemd-properties.ts";

const manager = {
  destination: "org.freedesktop.systemd1",
  path: "/org/freedesktop/systemd1",
  interface: "org.freedesktop.systemd1.Manager",
} as const;

/** How long a job of systemd may take. */
const jobMs = 30_000;

/** What {@link SystemdUnits} needs. */
export interface SystemdUnitsOptions {
  readonly clock: Clock;
  /** @default the system bus */
  readonly socketPath?: string | undefined;
}

/**
 * The units of systemd, over the system bus. The first call connects, and so does the next call after the connection was lost.
 *
 * Calls fail with an Error if there is no bus, systemd refuses, its job fails, or takes longer than 30 seconds.
 */
export class SystemdUnits {
  readonly #options: SystemdUnitsOptions;
  /** Callers that wait for the end of a job, by unit. */
  readonly #jobs = new Map<string, Set<(result: string) => void>>();
  #connection: Promise<BusConnection> | undefined;

  constructor(options: SystemdUnitsOptions) {
    this.#options = options;
  }

  /** Creates a transient unit. One that exists gets the resources. */
  async start(unit: string, fixed: readonly UnitProperty[], resources: readonly UnitProperty[]): Promise<void> {
    try {
      await this.#runJob(unit, "StartTransientUnit", "ssa(sv)a(sa(sv))", [
        unit,
        "replace",
        toBody([...fixed, ...resources]),
        [],
      ]);
    } catch (error) {
      if (!isError(error, "UnitExists")) throw error;
      await this.set(unit, resources);
    }
  }

  /** Changes properties of a unit until the host is started again. */
  async set(unit: string, properties: readonly UnitProperty[]): Promise<void> {
    if (properties.length === 0) return;
    const bus = await this.#connected();
    const body: readonly DbusValue[] = [unit, true, toBody(properties)];
    await bus.call({ ...manager, member: "SetUnitProperties", signature: "sba(sv)", body });
  }

  /** Stops a unit; one that does not exist is stopped already. */
  async stop(unit: string): Promise<void> {
    try {
      await this.#runJob(unit, "StopUnit", "ss", [unit, "replace"]);
    } catch (error) {
      if (!isError(error, "NoSuchUnit")) throw error;
    }
  }

  /** Closes the connection. The next call opens another. */
  async close(): Promise<void> {
    (await this.#connection?.catch(() => undefined))?.close();
  }

  /** Calls a method that queues a job, and waits for the end of the job. */
  async #runJob(unit: string, member: string, signature: string, body: readonly DbusValue[]): Promise<void> {
    const bus = await this.#connected();
    const ended = Promise.withResolvers<string>();
    const waiting = this.#jobs.get(unit) ?? new Set();
    // Register before the call: the signal may arrive together with the response.
    this.#jobs.set(unit, waiting.add(ended.resolve));
    const stopWaiting = new AbortController();
    try {
      await bus.call({ ...manager, member, signature, body });
      const result = await Promise.race([
        ended.promise,
        this.#options.clock.sleep(jobMs, stopWaiting.signal).then(() => `no result within ${jobMs / 1000} s`),
      ]);
      if (result !== "done") throw new Error(`systemd did not finish ${member} of ${unit}: ${result}`);
    } finally {
      stopWaiting.abort();
      waiting.delete(ended.resolve);
      if (waiting.size === 0) this.#jobs.delete(unit);
    }
  }

  #endJob(unit: string, result: string): void {
    for (const resolve of this.#jobs.get(unit) ?? []) resolve(result);
  }

  #connected(): Promise<BusConnection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<BusConnection> {
    const bus = await connectBus(this.#options.socketPath);
    void bus.closed.then(() => {
      this.#connection = undefined;
      for (const unit of this.#jobs.keys()) this.#endJob(unit, "the connection to the message bus has ended");
    });
    try {
      await bus.subscribe({ ...manager, member: "JobRemoved" }, ([, , unit, result]) => {
        this.#endJob(String(unit), String(result));
      });
      // Without this call systemd sends no signals.
      await bus.call({ ...manager, member: "Subscribe" });
    } catch (error) {
      bus.close();
      throw error;
    }
    return bus;
  }
}

const toBody = (properties: readonly UnitProperty[]): readonly DbusValue[] =>
  properties.map(([name, value]) => [name, value]);

const isError = (error: unknown, name: string): boolean =>
  error instanceof DbusError && error.errorName === `org.freedesktop.systemd1.${name}`;
