import type { core } from "@orchernetes/api";
import { parseIp } from "@orchernetes/apimachinery";
import type { CloudNode } from "../../provider/cloud-provider.ts";

/** Annotation with the address of `--node-ip`, or with gate CloudDualStackNodeIPs the two of them. */
const PROVIDED_IP_ANNOTATION = "alpha.orchernetes.io/provided-node-ip";

type Addresses = readonly core.NodeAddress[];

/** Addresses, or why they are not usable. */
export type AddressesOrError = { readonly addresses: Addresses } | { readonly error: string };

const sameIp = (a: string, b: readonly number[]): boolean => {
  const bytes = parseIp(a);
  return bytes !== undefined && bytes.length === b.length && bytes.every((byte, i) => byte === b[i]);
};

/**
 * The addresses of the cloud with those first that the node agent was told to use; other addresses of their types are left out. Pure.
 *
 * @param dualStack gate CloudDualStackNodeIPs (KEP-3705)
 */
export function preferProvidedIps(node: CloudNode, cloud: Addresses, dualStack: boolean): AddressesOrError {
  const provided = node.metadata.annotations?.[PROVIDED_IP_ANNOTATION];
  if (provided === undefined) return { addresses: cloud };
  const texts = dualStack ? provided.split(",").map((text) => text.trim()) : [provided];
  const ips = texts.map(parseIp);
  const [first, second] = ips;
  const invalid =
    ips.includes(undefined) || ips.length > 2 || (second !== undefined && first?.length === second.length);
  if (invalid)
    return {
      error: `failed to parse node IP "${provided}": want an IP address${dualStack ? ", or one of each family" : ""}`,
    };
  const preferred: core.NodeAddress[] = [];
  for (const [i, ip] of ips.entries()) {
    const found = cloud.filter(({ address }) => ip !== undefined && sameIp(address, ip));
    if (found.length === 0)
      return { error: `failed to get node address from cloud provider that matches ip: ${texts[i]}` };
    preferred.push(...found);
  }
  const types = new Set(preferred.map(({ type }) => type));
  return { addresses: [...preferred, ...cloud.filter(({ type }) => !types.has(type))] };
}

/**
 * The addresses that a node gets: those of the cloud in the order of {@link preferProvidedIps}, with the node's own host name if the
 * cloud has none. Undefined if the cloud has no addresses: the node keeps its own. Pure.
 */
export function nodeAddresses(node: CloudNode, cloud: Addresses, dualStack: boolean): AddressesOrError | undefined {
  if (cloud.length === 0) return undefined;
  const named = cloud.some(({ type }) => type === "Hostname");
  const own = named ? [] : (node.status?.addresses ?? []).filter(({ type }) => type === "Hostname");
  return preferProvidedIps(node, [...cloud, ...own], dualStack);
}

/** Whether two lists have the same addresses in the same order. */
export const sameAddresses = (a: Addresses = [], b: Addresses = []): boolean =>
  a.length === b.length && a.every(({ type, address }, i) => type === b[i]?.type && address === b[i]?.address);
