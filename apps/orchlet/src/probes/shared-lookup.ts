import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";

type Addresses = readonly LookupAddress[];

/** Default limit of concurrent lookups. */
const maxNames = 64;

const systemLookup = (name: string): Promise<Addresses> =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
  });

/**
 * Resolves host names for probes. A lookup blocks a thread of the process until the name server responds, even after
 * its probe has timed out. Therefore concurrent lookups of a name are shared, and a lookup beyond the limit fails.
 *
 * @param ask finds all addresses of a name @default the system's resolver
 * @param most maximum number of concurrent lookups @default 64
 */
export function createSharedLookup(ask = systemLookup, most = maxNames): LookupFunction {
  const inFlight = new Map<string, Promise<Addresses>>();

  const addressesOf = (name: string): Promise<Addresses> => {
    const before = inFlight.get(name);
    if (before !== undefined) return before;
    if (inFlight.size >= most)
      return Promise.reject(new Error(`lookup ${name}: ${most} other names are being looked up; want fewer at a time`));
    const found = ask(name).finally(() => inFlight.delete(name));
    inFlight.set(name, found);
    return found;
  };

  return (name, { all, family: wanted }, callback) => {
    const version = wanted === "IPv4" ? 4 : wanted === "IPv6" ? 6 : wanted;
    addressesOf(name).then(
      (found) => {
        const fitting = found.filter(({ family }) => !version || family === version);
        const [first] = fitting;
        if (first === undefined) callback(new Error(`lookup ${name}: no such host`), "", 0);
        else if (all) callback(null, [...fitting]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}
