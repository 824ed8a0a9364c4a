import { networkInterfaces } from "node:os";
import { addressSet, isLoopback, isUnspecified } from "./address-class.ts";

/** Where a connection leads: an IP address and a port. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Where this server listens. */
export interface OwnListenerOptions {
  readonly bindAddress: string;
  readonly advertiseAddress: string;
  /** Known once the server listens. */
  readonly port: () => number;
  /** Addresses that lead to this server by other means, such as that of service default/orchernetes. */
  readonly aliases?: readonly Destination[];
  /** @default os.networkInterfaces */
  readonly interfaces?: typeof networkInterfaces;
}

/**
 * Tells whether a destination is this server itself. A request that the server makes to itself would arrive from its own address,
 * and with whatever certificate it shows there.
 */
export function ownListener(options: OwnListenerOptions): (destination: Destination) => boolean {
  const { bindAddress, advertiseAddress, port, aliases = [], interfaces = networkInterfaces } = options;
  const everywhere = bindAddress === "" || isUnspecified(bindAddress);
  const isNamed = addressSet([advertiseAddress, ...(everywhere ? [] : [bindAddress])]);
  const listensAt = (host: string): boolean => {
    // To connect to the unspecified address is to connect to this machine.
    if (isNamed(host) || isUnspecified(host)) return true;
    if (!everywhere) return false;
    // Interfaces come and go while the server runs.
    const local = Object.values(interfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    return isLoopback(host) || addressSet(local)(host);
  };
  const leadsHere = aliases.map(({ host, port: at }) => ({ isHost: addressSet([host]), at }));
  return (destination) =>
    leadsHere.some(({ isHost, at }) => at === destination.port && isHost(destination.host)) ||
    (destination.port === port() && listensAt(destination.host));
}
