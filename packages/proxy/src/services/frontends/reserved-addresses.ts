import type { core } from "@orchernetes/api";
import { readAddress } from "../objects/addresses.ts";
import { AddressIndex } from "./address-index.ts";

/**
 * Addresses that no service may have as an external address or a load balancer's: the cluster addresses of all services, also
 * of those that another proxy serves, and fixed ones. They are reserved with all of their ports. Otherwise, whoever may create
 * a service could take the traffic to a port of another service's address that its own rules do not name (CVE-2020-8554).
 */
export class ReservedAddresses {
  readonly #fixed: ReadonlySet<string>;
  readonly #clusterIPs = new AddressIndex();
  /** External addresses: their services are looked at again when an address becomes reserved, or free. */
  readonly #external = new AddressIndex();

  /** @param fixed addresses that are always reserved */
  constructor(fixed: readonly string[]) {
    this.#fixed = addressSet(fixed);
  }

  has(address: string): boolean {
    return this.#fixed.has(address) || this.#clusterIPs.has(address);
  }

  /**
   * Replaces a service; undefined if it is gone.
   *
   * @returns the services, by `key`, for which {@link has} answers differently now
   */
  set(key: string, service: core.Service | undefined): ReadonlySet<string> {
    this.#external.replace(key, addressSet(externalTexts(service)));
    const changed = this.#clusterIPs.replace(key, addressSet(clusterTexts(service)));
    return new Set(changed.flatMap((address) => [...this.#external.of(address)]));
  }
}

const clusterTexts = (service: core.Service | undefined): readonly (string | undefined)[] =>
  service === undefined || service.spec.type === "ExternalName"
    ? []
    : [service.spec.clusterIP, ...(service.spec.clusterIPs ?? [])];

const externalTexts = (service: core.Service | undefined): readonly (string | undefined)[] => [
  ...(service?.spec.externalIPs ?? []),
  ...(service?.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip),
];

/** The addresses of both families among texts. */
export const addressSet = (texts: readonly (string | undefined)[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => readAddress(text ?? "")?.text ?? []));
