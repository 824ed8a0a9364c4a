import type { core, discovery } from "@orchernetes/api";
import { canonicalIp } from "@orchernetes/apimachinery";

/** The endpoints with the same address family and ports, which one slice holds. */
export interface EndpointGroup {
  readonly addressType: "IPv4" | "IPv6";
  readonly ports: readonly discovery.EndpointPort[];
  /** By their identity, see {@link endpointKey}; in the order of the subsets. */
  readonly endpoints: Map<string, discovery.Endpoint>;
}

/** What the slices of an Endpoints object should hold. */
export interface Desired {
  /** By {@link groupKey}. */
  readonly groups: ReadonlyMap<string, EndpointGroup>;
  /** Number of addresses that are not IP addresses. */
  readonly invalid: number;
  /** Number of addresses that are left out, including the invalid ones. */
  readonly skipped: number;
  /** Those of them whose ports would need a slice beyond the limit. */
  readonly beyondSlices: number;
}

/** Limits of {@link desiredEndpoints}. */
export interface MirrorLimits {
  /** Further addresses of a subset are left out. */
  readonly maxPerSubset: number;
  /** Addresses whose ports would need further slices are left out. */
  readonly maxSlices: number;
}

/** Identity of the slices that can hold the same endpoints: address family and ports, whose order does not matter. */
export function groupKey(addressType: string, ports: readonly discovery.EndpointPort[] | undefined): string {
  const texts = (ports ?? []).map(({ name = "", port, protocol = "TCP", appProtocol }) =>
    JSON.stringify([name, port, protocol, appProtocol]),
  );
  return `${addressType} ${texts.sort().join()}`;
}

/** Identity of an endpoint: its addresses, its host name and the object that it stands for. */
export function endpointKey({ addresses, hostname, targetRef }: discovery.Endpoint): string {
  return JSON.stringify([addresses?.toSorted(), hostname, targetRef?.namespace, targetRef?.name]);
}

/**
 * Sorts the addresses of all subsets into groups. Ready addresses come first.
 */
export function desiredEndpoints({ subsets = [] }: core.Endpoints, { maxPerSubset, maxSlices }: MirrorLimits): Desired {
  const groups = new Map<string, EndpointGroup>();
  let invalid = 0;
  let skipped = 0;
  let beyondSlices = 0;
  for (const { ports = [], addresses = [], notReadyAddresses = [] } of subsets) {
    const mirrored = ports.map(
      ({ name = "", port, protocol = "TCP", appProtocol }): discovery.EndpointPort => ({
        name,
        port,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      }),
    );
    const groupOf = (addressType: EndpointGroup["addressType"]): EndpointGroup | undefined => {
      const key = groupKey(addressType, mirrored);
      const known = groups.get(key);
      if (known !== undefined || groups.size >= maxSlices) return known;
      const group: EndpointGroup = { addressType, ports: mirrored, endpoints: new Map() };
      groups.set(key, group);
      return group;
    };
    // The key of a group is as long as its ports: it is not computed for each address.
    const ofSubset = new Map<EndpointGroup["addressType"], EndpointGroup | undefined>();
    let added = 0;
    for (const [i, address] of [...addresses, ...notReadyAddresses].entries()) {
      if (added >= maxPerSubset) break;
      const ip = canonicalIp(address.ip);
      if (ip === undefined) {
        invalid += 1;
        continue;
      }
      const addressType = ip.includes(":") ? "IPv6" : "IPv4";
      if (!ofSubset.has(addressType)) ofSubset.set(addressType, groupOf(addressType));
      const group = ofSubset.get(addressType);
      if (group === undefined) {
        beyondSlices += 1;
        continue;
      }
      added += 1;
      const endpoint = endpointOf(address, ip, i < addresses.length);
      group.endpoints.set(endpointKey(endpoint), endpoint);
    }
    skipped += addresses.length + notReadyAddresses.length - added;
  }
  return { groups, invalid, skipped, beyondSlices };
}

function endpointOf(
  { nodeName, hostname, targetRef }: core.EndpointAddress,
  ip: string,
  ready: boolean,
): discovery.Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}
