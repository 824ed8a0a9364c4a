import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";

type Addresses = readonly LookupAddress[];

/** Names that may be looked up at a time. */
const mostNames = 64;

const systemLookup = (name: string): Promise<Addresses> =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
  });

/**
 * Looks names up for probes. A look-up holds a thread of the process for as long as the name's server takes, and goes on when its probe
 * has given up: a name is asked for once at a time, and when too many are, the next one fails.
 *
 * @param ask finds all addresses of a name @default as the system does
 * @param most names at a time @default 64
 */
export function createSharedLookup(ask = systemLookup, most = mostNames): LookupFunction {
  const underWay = new Map<string, Promise<Addresses>>();

  const addressesOf = (name: string): Promise<Addresses> => {
    const before = underWay.get(name);
    if (before !== undefined) return before;
    if (underWay.size >= most)
      return Promise.reject(new Error(`lookup ${name}: ${most} other names are being looked up; want fewer at a time`));
    const found = ask(name).finally(() => underWay.delete(name));
    underWay.set(name, found);
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
