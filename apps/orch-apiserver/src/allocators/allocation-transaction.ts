import type { WriteOutcome } from "@orchernetes/apiserver";
import type { AddressHolder } from "./address-pool.ts";
import type { IpRange } from "./ip-range.ts";
import type { Allocated, ServiceAllocator } from "./service-allocator.ts";

/** A request for one node port. */
export interface PortRequest {
  /** The port that the client chose; undefined for any free one. */
  readonly wanted: number | undefined;
  assign(port: number): void;
  /** Makes the error for a port that the client chose and cannot have. */
  refuse(message: string): Error;
}

/**
 * The allocations and releases of one write. Values are allocated immediately, so that no other write gets them, and released when
 * the write has ended: the newly allocated ones if it was rejected, those no longer needed if it was stored.
 */
export class AllocationTransaction {
  readonly #allocator: ServiceAllocator;
  readonly #holder: AddressHolder;
  readonly #dryRun: boolean;
  readonly #onLeak: (error: unknown) => void;
  readonly #taken = { addresses: [] as string[], ports: [] as number[] };
  readonly #freed = { addresses: [] as string[], ports: [] as number[] };

  /**
   * @param options.holder the service
   * @param options.onLeak called with the error when values could not be released
   */
  constructor(
    allocator: ServiceAllocator,
    options: {
      readonly holder: AddressHolder;
      readonly dryRun: boolean;
      readonly onLeak: (error: unknown) => void;
    },
  ) {
    this.#allocator = allocator;
    this.#holder = options.holder;
    this.#dryRun = options.dryRun;
    this.#onLeak = options.onLeak;
  }

  async takeAddress(range: IpRange): Promise<string> {
    const address = await this.#allocator.takeAddress(range, this.#holder, this.#dryRun);
    this.#taken.addresses.push(address);
    return address;
  }

  /** Allocates an address that the client chose. Returns why the service cannot have it; undefined on success. */
  async claimAddress(range: IpRange, address: string): Promise<string | undefined> {
    const message = await this.#allocator.claimAddress(range, address, this.#holder, this.#dryRun);
    if (message === undefined) this.#taken.addresses.push(address);
    return message;
  }

  /** Allocates all of the node ports or none. */
  async takePorts(requests: readonly PortRequest[]): Promise<void> {
    if (requests.length === 0) return;
    const wanted = requests.map((request) => request.wanted);
    const result = await this.#allocator.takePorts(wanted, this.#dryRun);
    if (result.type === "refused") {
      const refused = requests[result.index];
      throw refused === undefined
        ? new TypeError("a node port that was not requested was rejected")
        : refused.refuse(result.error);
    }
    this.#taken.ports.push(...result.ports);
    for (const [i, port] of result.ports.entries()) requests[i]?.assign(port);
  }

  /** The service does without these once the write is stored. */
  freeAddresses(addresses: readonly string[]): void {
    this.#freed.addresses.push(...addresses);
  }

  /** The service does without these once the write is stored. */
  freePorts(ports: readonly number[]): void {
    this.#freed.ports.push(...ports);
  }

  /** If the outcome is unknown, nothing is released: the repair loop finds unused values. */
  async finish(outcome: WriteOutcome): Promise<void> {
    if (this.#dryRun || outcome === "unknown") return;
    const unused: Allocated = outcome === "stored" ? this.#freed : this.#taken;
    if (unused.addresses.length === 0 && unused.ports.length === 0) return;
    try {
      await this.#allocator.release(unused, this.#holder);
    } catch (error) {
      this.#onLeak(error);
    }
  }
}
