import type { WriteOutcome } from "@orchernetes/apiserver";
import type { IpRange } from "./ip-range.ts";
import type { Allocated, ServiceAllocator } from "./service-allocator.ts";

/** One node port that a write needs. */
export interface PortRequest {
  /** Undefined: any. */
  readonly wanted: number | undefined;
  assign(port: number): void;
  /** The error for the client when it cannot have the port that it wants. */
  refuse(fault: string): Error;
}

/**
 * What one write takes from the ranges and gives back to them. Taken at once, so that nobody else gets it; given back when the
 * write has ended: what was taken if it was rejected, what was freed if it was stored.
 */
export class AllocationTransaction {
  readonly #allocator: ServiceAllocator;
  readonly #dryRun: boolean;
  readonly #onLeak: (error: unknown) => void;
  readonly #taken = { addresses: [] as string[], ports: [] as number[] };
  readonly #freed = { addresses: [] as string[], ports: [] as number[] };

  /** @param onLeak takes the error when something could not be given back */
  constructor(allocator: ServiceAllocator, dryRun: boolean, onLeak: (error: unknown) => void) {
    this.#allocator = allocator;
    this.#dryRun = dryRun;
    this.#onLeak = onLeak;
  }

  async takeAddress(range: IpRange): Promise<string> {
    const address = await this.#allocator.takeAddress(range, this.#dryRun);
    this.#taken.addresses.push(address);
    return address;
  }

  /** What keeps the service from having the address, if anything does. */
  async claimAddress(range: IpRange, address: string): Promise<string | undefined> {
    const fault = await this.#allocator.claimAddress(range, address, this.#dryRun);
    if (fault === undefined) this.#taken.addresses.push(address);
    return fault;
  }

  /** Takes all of the node ports or none. */
  async takePorts(requests: readonly PortRequest[]): Promise<void> {
    if (requests.length === 0) return;
    const wanted = requests.map((request) => request.wanted);
    const result = await this.#allocator.takePorts(wanted, this.#dryRun);
    if (result.type === "refused") {
      const refused = requests[result.index];
      throw refused === undefined
        ? new TypeError("a node port that nobody asked for was refused")
        : refused.refuse(result.fault);
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

  /** Of an unknown outcome nothing is given back: what is in no use the repair loop finds. */
  async finish(outcome: WriteOutcome): Promise<void> {
    if (this.#dryRun || outcome === "unknown") return;
    const unused: Allocated = outcome === "stored" ? this.#freed : this.#taken;
    if (unused.addresses.length === 0 && unused.ports.length === 0) return;
    try {
      await this.#allocator.release(unused);
    } catch (error) {
      this.#onLeak(error);
    }
  }
}
