import type { Cidr } from "@orchernetes/apimachinery";
import type { Answer } from "dns-packet";
import { addressText, canonicalAddress, type ReverseName } from "../names/address-name.ts";
import { type ClusterObjects, SERVICE_NAME_LABEL } from "./cluster-objects.ts";
import { namedEndpoints } from "./endpoints.ts";
import { type RecordContext, soaRecord } from "./records.ts";
import type { ZoneAnswer } from "./zone-answer.ts";

/**
 * Looks up the name of an address: of the service with this cluster IP, or else of each endpoint that has it. Names of
 * other addresses are outside, unless they are in one of the cluster's ranges.
 */
export function lookUpReverseName(query: {
  readonly name: string;
  readonly type: string;
  readonly reverse: ReverseName;
  readonly reverseRanges: readonly Cidr[];
  readonly objects: ClusterObjects;
  readonly serial: number;
  readonly context: RecordContext;
}): ZoneAnswer {
  const { name, type, reverse, reverseRanges, objects, serial, context } = query;
  const isWhole = reverse.bits === (reverse.family === 4 ? 32 : 128);
  const targets = isWhole ? namesOfAddress(addressText(reverse.bytes), objects) : [];
  const range = reverseRanges.find((one) => isWithin(reverse, one));
  if (targets.length === 0 && range === undefined) return { kind: "outside" };
  const soa = soaRecord(range === undefined ? name : zoneOfRange(name, range), serial, context);
  if (targets.length === 0 && isWhole) {
    return objects.hasSynced() ? { kind: "noSuchName", soa } : { kind: "unsynced" };
  }
  const records = targets.map(
    (target): Answer => ({ type: "PTR", class: "IN", name, ttl: context.ttl, data: `${target}.${context.domain}` }),
  );
  return { kind: "records", answers: type === "PTR" ? records : [], additionals: [], soa };
}

/** Names of an address, without the cluster domain. */
function namesOfAddress(address: string, objects: ClusterObjects): readonly string[] {
  const [service] = objects.servicesAt(address);
  if (service !== undefined) return [`${service.metadata.name}.${service.metadata.namespace}.svc`];
  const names = new Set<string>();
  for (const slice of objects.endpointSlicesAt(address)) {
    const { namespace = "", labels } = slice.metadata;
    const owner = labels?.[SERVICE_NAME_LABEL];
    if (owner === undefined) continue;
    for (const endpoint of namedEndpoints(objects.service(namespace, owner), [slice])) {
      if (canonicalAddress(endpoint.address) !== address) continue;
      names.add(`${endpoint.label}.${owner}.${namespace}.svc`);
    }
  }
  return [...names];
}

/** Whether all addresses below the name are in the range. */
function isWithin({ family, bytes, bits }: ReverseName, range: Cidr): boolean {
  if (range.address.length !== (family === 4 ? 4 : 16) || bits < range.bits) return false;
  for (let bit = 0; bit < range.bits; bit += 8) {
    const mask = (0xff << Math.max(0, 8 - (range.bits - bit))) & 0xff;
    // The half byte of an IPv6 name with an odd number of digits is not in `bytes`; a range that needs it does not match.
    const byte = bytes[bit / 8];
    if (byte === undefined || (byte & mask) !== ((range.address[bit / 8] ?? 0) & mask)) return false;
  }
  return true;
}

/** The name above `name` that has as many labels as are needed to fix the range's bits: the owner of the SOA record. */
function zoneOfRange(name: string, { address, bits }: Cidr): string {
  const labels = Math.ceil(bits / (address.length === 4 ? 8 : 4)) + 2;
  return name.split(".").slice(-labels).join(".");
}
