import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { core } from "@orchernetes/api";
import { ipAddresses } from "@orchernetes/api/networking/v1alpha1";
import { ApiError, type ResourceDefinition } from "@orchernetes/apimachinery";
import { type AdmissionPlugin, createApiServer, type Registry } from "@orchernetes/apiserver";
import { type Clock, systemClock } from "@orchernetes/kernel";
import { openEmbeddedStore, type Store } from "@orchernetes/storage";
import { AddressRepair } from "./address-repair.ts";
import { AddressTable } from "./address-table.ts";
import { ipRange } from "./ip-range.ts";
import type { ServiceEvent } from "./record-event.ts";
import { RepairLoop, type RepairLoopOptions } from "./repair-loop.ts";
import { serviceAllocation } from "./service-allocation.ts";
import { ServiceAllocator } from "./service-allocator.ts";

/** One of the servers that share a store. */
export interface AllocatingServer {
  readonly registry: Registry;
  readonly allocator: ServiceAllocator;
  readonly repairs: RepairLoop;
  /** With `addressObjects`; its loop does not run. */
  readonly addressRepair: AddressRepair | undefined;
  readonly events: readonly ServiceEvent[];
  /** Counted problems, as `clusterip duplicate`. */
  readonly problems: readonly string[];
}

/** How {@link AllocatingCluster.addServer} makes a server. */
export interface AllocatingServerOptions {
  /** Of a /24 the first 16 addresses, of a /16 the first 256 are given out last. @default 10.0.0.0/24 */
  readonly ranges?: readonly string[];
  /** Of the default ones those below 30086 are given out last. @default 30000 to 32767 */
  readonly ports?: { readonly from: number; readonly to: number };
  readonly admission?: readonly AdmissionPlugin[];
  /** Wraps the store that services are written to. */
  readonly storeFor?: (store: Store) => Store;
  /** Wraps the store that allocations are written to. */
  readonly allocationStoreFor?: (store: Store) => Store;
  readonly recordEvent?: RepairLoopOptions["recordEvent"];
  /** Addresses are IPAddress objects. @default false */
  readonly addressObjects?: boolean;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** A store with any number of servers, in this process. */
export class AllocatingCluster {
  readonly store: Store;
  readonly #path: string;
  readonly #end = new AbortController();

  private constructor(store: Store, path: string) {
    this.store = store;
    this.#path = path;
  }

  static async start(): Promise<AllocatingCluster> {
    const path = mkdtempSync(join(tmpdir(), "allocation-"));
    return new AllocatingCluster(await openEmbeddedStore({ path, fsync: false }), path);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.store.close();
    rmSync(this.#path, { recursive: true, force: true });
  }

  async addServer(options: AllocatingServerOptions = {}): Promise<AllocatingServer> {
    const { store } = this;
    const ranges = (options.ranges ?? ["10.0.0.0/24"]).map(ipRange);
    const table = options.addressObjects === true ? new AddressTable() : undefined;
    const allocator = new ServiceAllocator({
      ranges,
      table,
      ports: options.ports ?? { from: 30000, to: 32767 },
      // As with addresses, those of the lower part are given out last: what a test asks for there has not been given to others.
      staticPorts: true,
      store: options.allocationStoreFor?.(store) ?? store,
    });
    const definitions = [
      core.namespaces,
      core.services,
      core.events,
      ipAddresses,
    ] as unknown as readonly ResourceDefinition[];
    const server = createApiServer({
      definitions,
      store,
      storeFor: ({ plural }) => (plural === "services" ? (options.storeFor?.(store) ?? store) : store),
      authenticators: [],
      authorizers: [],
      admission: options.admission ?? [],
      writeHooks: [serviceAllocation(allocator, { warn: () => undefined })],
      signal: this.#end.signal,
    });
    await server.start();
    const events: ServiceEvent[] = [];
    const problems: string[] = [];
    const reporting = {
      observer: {
        problem: (range: string, type: string) => void problems.push(`${range} ${type}`),
        failed: (range: string) => void problems.push(`${range} failed`),
      },
      logger: { warn: () => undefined, error: () => undefined },
      recordEvent:
        options.recordEvent ??
        (async (_: Registry, event: ServiceEvent) => {
          events.push(event);
        }),
    };
    const repairs = new RepairLoop({ allocator, ...reporting, now: Date.now });
    const { clock = systemClock } = options;
    const addressRepair = table && new AddressRepair({ table, ranges, ...reporting, clock, signal: this.#end.signal });
    await addressRepair?.runOnce(server.registry);
    await repairs.runOnce(server.registry);
    return { registry: server.registry, allocator, repairs, addressRepair, events, problems };
  }
}

/** A service as clients send it. */
export function serviceOf(name: string, spec: object): core.Service {
  const ports = [{ name: "p", port: 80 }];
  return { metadata: { name, namespace: "default" }, spec: { ports, ...spec }, status: {} } as unknown as core.Service;
}

/** The messages of the causes of a refused write, or the whole message where there are none. */
export async function causesOf(write: Promise<unknown>): Promise<readonly string[]> {
  try {
    await write;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message = "", details } = error.status;
    return details?.causes?.map((cause) => `${cause.field}: ${cause.message}`) ?? [message];
  }
}
