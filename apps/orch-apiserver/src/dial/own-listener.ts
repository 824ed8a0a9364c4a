import { networkInterfaces } from "node:os";
import { addressSet, isLoopback, isUnspecified } from "./address-class.ts";

/** Destination of a connection: an IP address and a port. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Where this server listens. */
export interface OwnListenerOptions {
  readonly bindAddress: string;
  readonly advertiseAddress: string;
  readonly port: number;
  /** Further addresses that lead to this server, such as that of service default/orchernetes. */
  readonly aliases?: readonly Destination[];
  /** @default os.networkInterfaces */
  readonly interfaces?: typeof networkInterfaces;
}

/**
 * Checks whether a destination is this server itself. A request from the server to itself would come from its own address and with
 * its own client certificate.
 */
export function ownListener(options: OwnListenerOptions): (destination: Destination) => boolean {
  const { bindAddress, advertiseAddress, port, aliases = [], interfaces = networkInterfaces } = options;
  const everywhere = bindAddress === "" || isUnspecified(bindAddress);
  const isNamed = addressSet([advertiseAddress, ...(everywhere ? [] : [bindAddress])]);
  const listensAt = (host: string): boolean => {
    // Connecting to the unspecified address connects to this machine.
    if (isNamed(host) || isUnspecified(host)) return true;
    if (!everywhere) return false;
    // Interfaces come and go while the server runs.
    const local = Object.values(interfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    return isLoopback(host) || addressSet(local)(host);
  };
  const leadsHere = aliases.map(({ host, port: at }) => ({ isHost: addressSet([host]), at }));
  return (destination) =>
    leadsHere.some(({ isHost, at }) => at === destination.port && isHost(destination.host)) ||
    (destination.port === port && listensAt(destination.host));
}
