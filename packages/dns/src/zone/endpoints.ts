import { isIP } from "node:net";
import type { core, discovery } from "@orchernetes/api";
import { labelOfAddress } from "../names/address-name.ts";

/** An address of a service's endpoint. */
export interface NamedEndpoint {
  /** Its label below the service: its hostname, or its address with dashes. Lower case. */
  readonly label: string;
  readonly address: string;
}

/**
 * Endpoints of a service that have names: those that are ready, and all if the service publishes addresses that are not
 * ready. An unknown state counts as ready.
 */
export function* namedEndpoints(
  service: core.Service | undefined,
  slices: readonly discovery.EndpointSlice[],
): Generator<NamedEndpoint> {
  const all = service?.spec.publishNotReadyAddresses === true;
  for (const { endpoints } of slices) {
    for (const { addresses, conditions, hostname } of endpoints ?? []) {
      if (conditions?.ready === false && !all) continue;
      for (const address of addresses ?? []) {
        // Slices of type FQDN have names in place of addresses, for which the specification has no records.
        if (isIP(address) === 0) continue;
        yield { label: (hostname || labelOfAddress(address)).toLowerCase(), address };
      }
    }
  }
}
