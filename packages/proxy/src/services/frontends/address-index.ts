/** Which services have an address. */
export class AddressIndex {
  readonly #byAddress = new Map<string, Set<string>>();
  readonly #byService = new Map<string, ReadonlySet<string>>();

  has(address: string): boolean {
    return this.#byAddress.has(address);
  }

  /** The services that have the address. */
  of(address: string): Iterable<string> {
    return this.#byAddress.get(address) ?? [];
  }

  /**
   * Replaces the addresses of a service.
   *
   * @returns the addresses that have their first service now, or no service any more
   */
  replace(service: string, addresses: ReadonlySet<string>): readonly string[] {
    const before = this.#byService.get(service);
    if (before === undefined && addresses.size === 0) return [];
    const changed = [...addresses].filter((address) => before?.has(address) !== true && this.#add(address, service));
    for (const address of before ?? []) {
      if (!addresses.has(address) && this.#remove(address, service)) changed.push(address);
    }
    if (addresses.size === 0) this.#byService.delete(service);
    else this.#byService.set(service, addresses);
    return changed;
  }

  /** Whether it is the first. */
  #add(address: string, service: string): boolean {
    const services = this.#byAddress.get(address);
    if (services === undefined) this.#byAddress.set(address, new Set([service]));
    else services.add(service);
    return services === undefined;
  }

  /** Whether it was the last. */
  #remove(address: string, service: string): boolean {
    const services = this.#byAddress.get(address);
    services?.delete(service);
    return services?.size === 0 && this.#byAddress.delete(address);
  }
}
