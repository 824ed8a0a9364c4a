import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { badRequest } from "@orchernetes/apimachinery";
import type { Dialer } from "@orchernetes/kernel";
import { isGlobalUnicast, isLoopback } from "./address-class.ts";
import type { Destination } from "./own-listener.ts";

/**
 * Which addresses the server may connect to. `global`: global unicast addresses only. `authenticated`: loopback addresses as well,
 * because the other side must prove its identity with a certificate. `any`: all addresses. The server's own listener is never allowed.
 */
export type AddressScope = "global" | "authenticated" | "any";

/**
 * Resolves the addresses that the server connects to on behalf of clients, and checks that they are allowed. How a connection is then
 * opened is the task of a {@link Dialer}.
 */
export interface DestinationResolver {
  /** Opens connections to the destinations; undefined: callers connect directly. */
  readonly dial?: Dialer | undefined;
  /**
   * Returns the IP address and port to connect to. A name is resolved once, here, and the caller connects to the address, so that a
   * changed DNS record cannot bypass the check. There is one exception: with `dial`, a name whose owner must prove its identity with a
   * certificate (any scope but `global`) is left to the proxy to resolve, because it may be known only in the proxy's network.
   *
   * @param host an address or a DNS name
   * @param what names the object in errors, such as `pod "p"`
   * @throws ApiError BadRequest when connections to it are not allowed; Error when the name does not resolve
   */
  resolve(host: string, port: number, scope: AddressScope, what: string): Promise<Destination>;
}

/** Parts of a {@link DestinationResolver}. */
export interface DestinationResolverOptions {
  readonly isOwnListener: (destination: Destination) => boolean;
  /** Opens connections to the destinations. @default callers connect directly */
  readonly dial?: Dialer | undefined;
  /** Addresses of a DNS name. @default the system's resolver */
  readonly lookup?: (name: string) => Promise<readonly string[]>;
}

const wanted: Readonly<Record<AddressScope, string>> = {
  global: "a global unicast address is expected",
  authenticated: "a global unicast address is expected, or a loopback one",
  any: "an address is expected",
};

const systemResolver = async (name: string): Promise<readonly string[]> =>
  (await systemLookup(name, { all: true })).map(({ address }) => address);

function isAllowed(address: string, scope: AddressScope): boolean {
  if (scope === "any") return isIP(address) !== 0;
  return isGlobalUnicast(address) || (scope === "authenticated" && isLoopback(address));
}

/** Creates the resolver. Every address of a name is checked, and the first one is used. */
export function createDestinationResolver({
  isOwnListener,
  dial,
  lookup = systemResolver,
}: DestinationResolverOptions): DestinationResolver {
  return {
    dial,
    async resolve(host, port, scope, what) {
      if (dial !== undefined && scope !== "global" && isIP(host) === 0 && host !== "") return { host, port };
      const addresses = isIP(host) === 0 ? await lookup(host) : [host];
      const [first] = addresses;
      if (first === undefined) throw badRequest(`address not allowed: the name "${host}" of ${what} has no addresses`);
      // Reject the name if any address is not allowed: its DNS server could choose the order.
      for (const address of addresses) {
        const found = address === host ? `"${address}"` : `"${address}" (of name "${host}")`;
        if (!isAllowed(address, scope))
          throw badRequest(`address not allowed: ${what} is at ${found}; ${wanted[scope]}`);
        if (isOwnListener({ host: address, port }))
          throw badRequest(`address not allowed: ${what} is at ${found}, port ${port}, where this API server listens`);
      }
      return { host: first, port };
    },
  };
}
