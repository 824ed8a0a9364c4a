import { core } from "@orchernetes/api";
import { canonicalIp, isNotFound } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { AddressRecord, AddressTable } from "./address-table.ts";
import { type IpRange, usableOffset } from "./ip-range.ts";
import { ProblemReports } from "./problem-reports.ts";
import type { ServiceEvent } from "./record-event.ts";
import type { RepairObserver } from "./repair-loop.ts";
import { allocatedBy } from "./service-allocation.ts";

/** What an {@link AddressRepair} is made of. */
export interface AddressRepairOptions {
  readonly table: AddressTable;
  readonly ranges: readonly IpRange[];
  readonly observer: RepairObserver;
  readonly logger: Pick<Logger, "warn" | "error">;
  readonly recordEvent: (registry: Registry, event: ServiceEvent) => Promise<void>;
  readonly clock: Clock;
  /** Ends following the addresses. */
  readonly signal: AbortSignal;
  /** Interval between passes. @default 180_000 */
  readonly intervalMs?: number;
}

/** An address without its service is removed after this time: it is allocated before the service is stored. */
const GRACE_MS = 60_000;

/** The service that an address is for. */
interface Owner {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Keeps the IPAddress objects of services and the services in agreement: at the start and every few minutes all of them, and each address
 * when its object changes. A service's address without an object gets one; one that names nobody or somebody else is replaced;
 * an object whose service does not have the address is removed.
 */
export class AddressRepair {
  readonly #options: AddressRepairOptions;
  readonly #reports: ProblemReports;
  /** Addresses to look at, with the owners that were known. */
  readonly #due = new Map<string, Owner | undefined>();
  /** Those to look at again when they are not new any more, and when that is. */
  readonly #young = new Map<string, Owner | undefined>();
  #sweepMs = Number.POSITIVE_INFINITY;
  #following: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  constructor(options: AddressRepairOptions) {
    this.#options = options;
    this.#reports = new ProblemReports({ ...options, now: () => options.clock.now().getTime() });
  }

  /** One pass over all services, then over all addresses. */
  async runOnce(registry: Registry): Promise<void> {
    const { table, observer, signal } = this.#options;
    this.#following ??= table.follow(registry, signal, (name, ref) => this.#enqueue(name, ref && ownerOf(ref)));
    await this.#following;
    // All are looked at below.
    this.#due.clear();
    try {
      const { items } = await registry.forDefinition(core.services).list();
      for (const service of items) await this.#repairService(registry, service);
      for (const name of table.managed()) await this.#repairAddress(registry, name);
    } catch (error) {
      observer.failed("clusterip");
      throw error;
    }
    this.#reports.expire();
  }

  /** Follows changes, and repeats the pass, until the signal aborts. */
  async run(registry: Registry, signal: AbortSignal): Promise<void> {
    const { clock, logger, intervalMs = 180_000 } = this.#options;
    for (let nextMs = clock.monotonicMs() + intervalMs; !signal.aborted; ) {
      await this.#pause(Math.min(nextMs, this.#sweepMs) - clock.monotonicMs(), signal);
      if (signal.aborted) return;
      if (clock.monotonicMs() >= this.#sweepMs) this.#sweep();
      for (const [name, owner] of [...this.#due]) {
        this.#due.delete(name);
        await this.#repairChanged(registry, name, owner);
      }
      if (clock.monotonicMs() < nextMs) continue;
      nextMs = clock.monotonicMs() + intervalMs;
      await this.runOnce(registry).catch((error) => {
        if (!signal.aborted) logger.error(error, "Addresses of services were not repaired");
      });
    }
  }

  /** Waits until something is due, but no longer than this time. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#due.size > 0) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const sleep = this.#options.clock.sleep(Math.max(0, ms), AbortSignal.any([signal, woken.signal]));
    await sleep.catch(() => undefined);
  }

  #enqueue(name: string, owner: Owner | undefined): void {
    this.#due.set(name, owner);
    this.#wake?.();
  }

  #lookAgain(name: string, owner: Owner | undefined): void {
    this.#young.set(name, owner);
    this.#sweepMs = Math.min(this.#sweepMs, this.#options.clock.monotonicMs() + GRACE_MS);
  }

  #sweep(): void {
    for (const [name, owner] of this.#young) this.#due.set(name, owner);
    this.#young.clear();
    this.#sweepMs = Number.POSITIVE_INFINITY;
  }

  async #repairChanged(registry: Registry, name: string, owner: Owner | undefined): Promise<void> {
    const { logger, signal } = this.#options;
    try {
      const service = owner && (await serviceOf(registry, owner));
      if (service !== undefined) await this.#repairService(registry, service);
      await this.#repairAddress(registry, name);
    } catch (error) {
      if (signal.aborted) return;
      logger.error(error, "The address of a service was not repaired; trying again in a minute", { address: name });
      this.#lookAgain(name, owner);
    }
  }

  /** Each address of a service has an object that names the service. */
  async #repairService(registry: Registry, service: core.Service): Promise<void> {
    const { table, ranges, observer } = this.#options;
    const { namespace = "", name = "", uid = "" } = service.metadata;
    for (const address of allocatedBy(service.spec).addresses) {
      const family = address.includes(":") ? "IPv6" : "IPv4";
      const shown = `Cluster IP [${family}]:${address}`;
      const tell = (reason: string, message: string) => this.#tell(registry, { service, reason, message });
      const range = ranges.find((one) => one.family === family);
      const canonical = canonicalIp(address);
      if (range === undefined || canonical === undefined) {
        observer.problem("clusterip", "outOfRange");
        const message = `Cluster IP ${address}(${family}) is of ip family that is no longer configured on cluster; please recreate Service`;
        await tell("ClusterIPNotValid", message);
      } else if (usableOffset(range, address) === undefined) {
        observer.problem("clusterip", "outOfRange");
        const message = `${shown} is not within the configured Service CIDR ${range.cidr}; please recreate service`;
        await tell("ClusterIPOutOfRange", message);
      } else {
        const state = await this.#stateOf(registry, canonical, { namespace, name });
        if (state === "duplicate") {
          observer.problem("clusterip", "duplicate");
          const message = `${shown} was assigned to multiple services; please recreate service`;
          await tell("ClusterIPAlreadyAllocated", message);
        } else if (state !== "allocated") {
          observer.problem("clusterip", "repair");
          const why = state === "absent" ? "is not allocated" : "has a wrong reference";
          await tell("ClusterIPNotAllocated", `${shown} ${why}; repairing`);
          if (state === "wrong") await table.delete(canonical);
          await table.create(canonical, { namespace, name, uid });
        }
      }
    }
  }

  /** How the object of an address is related to a service that has the address. */
  async #stateOf(
    registry: Registry,
    address: string,
    owner: Owner,
  ): Promise<"allocated" | "absent" | "wrong" | "duplicate"> {
    const { table } = this.#options;
    const known = table.get(address);
    if (known !== undefined && isOf(known, owner)) return "allocated";
    // Another server may have allocated it a moment ago.
    const record = await table.refresh(address);
    if (record === undefined) return "absent";
    if (isOf(record, owner)) return "allocated";
    const ref = serviceRef(record);
    if (ref === undefined || (ref.namespace === owner.namespace && ref.name === owner.name)) return "wrong";
    const other = await serviceOf(registry, ref);
    // Otherwise two services with one address would take it from each other for ever.
    return other !== undefined && hasAddress(other, address) ? "duplicate" : "wrong";
  }

  /** The object of an address that an API server allocated belongs to a service that has the address. */
  async #repairAddress(registry: Registry, address: string): Promise<void> {
    const { table, observer, logger, clock } = this.#options;
    if (await this.#isUsed(registry, address, table.get(address))) return;
    const record = await table.refresh(address);
    if (record === undefined || (await this.#isUsed(registry, address, record))) return;
    const owner = serviceRef(record);
    if (owner !== undefined && record.createdMs + GRACE_MS > clock.now().getTime()) {
      this.#lookAgain(address, owner);
      return;
    }
    observer.problem("clusterip", "leak");
    const message =
      owner === undefined
        ? "An address appears to have been modified, not referencing a service: cleaning up"
        : "An address whose service does not have it appears to have leaked: cleaning up";
    logger.warn(message, { address, ...owner });
    await table.delete(address, record.uid);
  }

  /** Whether the object of an address is left alone: its service has the address, or no API server allocated it. */
  async #isUsed(registry: Registry, address: string, record: AddressRecord | undefined): Promise<boolean> {
    if (record === undefined || !record.managed) return true;
    const owner = serviceRef(record);
    const service = owner && (await serviceOf(registry, owner));
    return service !== undefined && hasAddress(service, address);
  }

  async #tell(
    registry: Registry,
    event: { readonly service: core.Service; readonly reason: string; readonly message: string },
  ): Promise<void> {
    const common = { action: "ClusterIPAllocation", reporter: "ipallocator-repair-controller" };
    await this.#reports.report(event.message, { ...event, ...common })?.(registry);
  }
}

const ownerOf = ({ namespace = "", name }: NonNullable<AddressRecord["parentRef"]>): Owner => ({ namespace, name });

/** The service that a record names; undefined if it names something else. */
function serviceRef({ parentRef }: AddressRecord): Owner | undefined {
  const isService = parentRef !== undefined && !parentRef.group && parentRef.resource === "services";
  return isService ? ownerOf(parentRef) : undefined;
}

/** Whether a record is as an API server makes it for a service. */
function isOf(record: AddressRecord, { namespace, name }: Owner): boolean {
  const ref = serviceRef(record);
  return record.labelled && ref !== undefined && ref.namespace === namespace && ref.name === name;
}

const hasAddress = ({ spec }: core.Service, address: string): boolean =>
  allocatedBy(spec).addresses.some((one) => canonicalIp(one) === address);

async function serviceOf(registry: Registry, ref: Owner): Promise<core.Service | undefined> {
  try {
    return await registry.forDefinition(core.services).get(ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
