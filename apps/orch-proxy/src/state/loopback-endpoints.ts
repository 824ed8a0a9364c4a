import { networkInterfaces } from "node:os";
import type { discovery } from "@orchernetes/api";
import type { ServiceRules } from "@orchernetes/proxy";

const LOOPBACK: Readonly<Record<string, string>> = { IPv4: "127.0.0.1", IPv6: "::1" };

/** A slice as the rules see it. */
export interface SplitSlice {
  /** Under the name of the slice: all of it, or the ports that are left. */
  readonly slice: discovery.EndpointSlice;
  /** The ports that are reached at the loopback address; undefined: none. */
  readonly loopback: discovery.EndpointSlice | undefined;
}

/**
 * Takes out of a slice of the API server's service the ports at which a program of this host listens on its loopback address
 * alone, such as the API server of a cluster on one machine, whose Endpoints must not have loopback addresses. At these ports
 * endpoints at addresses of this host are replaced by the loopback address.
 *
 * Slices of other services, and other ports, stay as they are: whoever may write them would otherwise reach every program
 * that trusts callers from this host.
 *
 * @param ports `loopbackPorts` of the configuration
 * @param hostAddresses @default all addresses of this host
 */
export function splitAtLoopback(
  slice: discovery.EndpointSlice,
  ports: readonly number[],
  hostAddresses = addressesOfHost,
): SplitSlice {
  const loopback = LOOPBACK[slice.addressType];
  const whole = { slice, loopback: undefined };
  if (ports.length === 0 || loopback === undefined || !isOfApiServer(slice)) return whole;
  const isListed = ({ port }: discovery.EndpointPort): boolean => port !== undefined && ports.includes(port);
  const { endpoints = [], ports: all = [] } = slice;
  if (!all.some(isListed)) return whole;
  const own = hostAddresses();
  const isOwn = ({ addresses }: discovery.Endpoint): boolean => own.has(addresses[0] ?? "");
  if (!endpoints.some(isOwn)) return whole;
  const addresses = [loopback];
  return {
    slice: { ...slice, ports: all.filter((port) => !isListed(port)) },
    loopback: {
      ...loopbackPartOf(slice),
      endpoints: endpoints.map((endpoint) => (isOwn(endpoint) ? { ...endpoint, addresses } : endpoint)),
      ports: all.filter(isListed),
    },
  };
}

/** What slices are given to: the rules of services. */
export type SliceRules = Pick<ServiceRules, "setEndpointSlice" | "deleteEndpointSlice">;

/** Gives a slice to the rules as {@link splitAtLoopback} divides it, in place of what they had of it. */
export function setSplit(rules: SliceRules, slice: discovery.EndpointSlice, split: SplitSlice): void {
  rules.setEndpointSlice(split.slice);
  if (split.loopback === undefined) rules.deleteEndpointSlice(loopbackPartOf(slice));
  else rules.setEndpointSlice(split.loopback);
}

/** Removes both parts of a slice. */
export function deleteSplit(rules: SliceRules, slice: discovery.EndpointSlice): void {
  for (const part of [slice, loopbackPartOf(slice)]) rules.deleteEndpointSlice(part);
}

/** The slice under the name of its part at the loopback address, which no object of the API can have. */
const loopbackPartOf = (slice: discovery.EndpointSlice): discovery.EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, name: `${slice.metadata.name}/loopback` },
});

const isOfApiServer = ({ metadata: { namespace, labels } }: discovery.EndpointSlice): boolean =>
  namespace === "default" && labels?.["orchernetes.io/service-name"] === "orchernetes";

const addressesOfHost = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)));
