import { networkInterfaces } from "node:os";
import type { Logger } from "@orchernetes/kernel";
import { type KernelParameters, setParameters } from "./kernel-parameters.ts";
import { ipv6Parameters } from "./needed-parameters.ts";

/**
 * Prepares the kernel for IPv6 once the cluster uses it: when pods of the node, or a service, have addresses of that family. Until
 * then the host stays as it is.
 */
export class Ipv6Routing {
  readonly #parameters: KernelParameters;
  readonly #logger: Logger;
  readonly #interfaces: () => readonly string[];
  #set: Promise<void> | undefined;

  /** @param interfaces names of those of the host. @default the system's */
  constructor(
    parameters: KernelParameters,
    logger: Logger,
    interfaces: () => readonly string[] = () => Object.keys(networkInterfaces()),
  ) {
    this.#parameters = parameters;
    this.#logger = logger;
    this.#interfaces = interfaces;
  }

  /** Prepares the kernel if one of these addresses or ranges, which the cluster uses, is of IPv6. Resolves when that is done. */
  async see(addresses: readonly (string | undefined)[]): Promise<void> {
    if (!addresses.some((address) => address?.includes(":"))) return;
    this.#set ??= this.#prepare();
    await this.#set;
  }

  async #prepare(): Promise<void> {
    const learning: string[] = [];
    for (const name of this.#interfaces()) {
      // With 0 somebody has disabled it on purpose; 2 is the wanted value.
      if ((await this.#parameters.read(`net/ipv6/conf/${name}/accept_ra`)) === "1") learning.push(name);
    }
    const isForwarding = (await this.#parameters.read("net/ipv6/conf/all/forwarding")) === "1";
    await setParameters(ipv6Parameters(isForwarding ? [] : learning), this.#parameters, this.#logger);
  }
}
