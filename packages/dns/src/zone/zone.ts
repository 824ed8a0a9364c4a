import type { Cidr } from "@orchernetes/apimachinery";
import type { Answer, SoaAnswer } from "dns-packet";
import { parseReverseName } from "../names/address-name.ts";
import { nameInZone, normalName } from "../names/domain-name.ts";
import type { ClusterObjects } from "./cluster-objects.ts";
import { type FoundName, findName, type PodNames, type Target } from "./found-name.ts";
import {
  addressRecord,
  addressRecords,
  minimalRecord,
  type RecordContext,
  serviceRecords,
  soaRecord,
} from "./records.ts";
import { parseRequestName } from "./request-name.ts";
import { lookUpReverseName } from "./reverse.ts";
import type { ZoneAnswer } from "./zone-answer.ts";

/** The version of the DNS specification, which the TXT record of `dns-version` states. */
const SPECIFICATION_VERSION = "1.1.0";

/** Options of a zone. */
export interface ZoneOptions {
  /** The cluster domain, such as `cluster.local`. */
  readonly domain: string;
  /** Time to live of records and of negative answers, in seconds. @default 30 (kubeadm's setting; CoreDNS's default is 5) */
  readonly ttlSeconds?: number;
  /** Addresses of the DNS service, for `ns.dns.DOMAIN`. */
  readonly addresses: readonly string[];
  /** @default "insecure" */
  readonly podNames?: PodNames;
  /** Ranges of services and pods. Their addresses have no names except those of the zone. @default none */
  readonly reverseRanges?: readonly Cidr[];
  readonly objects: ClusterObjects;
  /** The serial number of the SOA record, which should grow. */
  readonly serial: () => number;
}

/** Names of the cluster. */
export interface Zone {
  /**
   * Looks a name up.
   *
   * @param name a normal name
   * @param type the name of a record type, such as `A`; for `ANY` the answer is the record of RFC 8482
   */
  lookUp(name: string, type: string): ZoneAnswer;
}

/**
 * Creates the zone of a cluster by the Kubernetes DNS specification 1.1.0. Where that leaves something open, names are
 * answered as by the `kubernetes` plugin of CoreDNS 1.10; docs/networking.md lists the differences.
 */
export function createZone(options: ZoneOptions): Zone {
  const { addresses, podNames = "insecure", reverseRanges = [], objects, serial } = options;
  const domain = normalName(options.domain);
  const context: RecordContext = { domain, ttl: options.ttlSeconds ?? 30 };

  const lookUpInDomain = (name: string, prefix: string, type: string): ZoneAnswer => {
    const soa = soaRecord(domain, serial(), context);
    const answered = (answers: readonly Answer[], additionals: readonly Answer[] = []): ZoneAnswer => ({
      kind: "records",
      answers: type === "ANY" ? [minimalRecord(name, context.ttl)] : answers,
      additionals,
      soa,
    });
    const request = parseRequestName(prefix);
    switch (request.kind) {
      case "container":
        if (prefix !== "") return answered([]);
        if (type === "SOA") return answered([soa]);
        return type === "NS" ? answered(...nameServerRecords(context, addresses)) : answered([]);
      case "version":
        return answered(
          type === "TXT" ? [{ type: "TXT", class: "IN", name, ttl: context.ttl, data: SPECIFICATION_VERSION }] : [],
        );
      case "nameServer":
        return answered(isAddressType(type) ? addressRecords(name, addresses, type, context.ttl) : []);
      case "unknown":
        return absent(objects, soa);
      default: {
        const found = findName(request, objects, podNames);
        if (found.kind === "none") return absent(objects, soa);
        if (found.kind !== "alias") return answered(...recordsOf(found, name, type, context));
        const record: Answer = { type: "CNAME", class: "IN", name, ttl: context.ttl, data: found.target };
        return type === "CNAME" || type === "ANY"
          ? answered([record])
          : { kind: "alias", record, target: found.target };
      }
    }
  };

  return {
    lookUp(name, type) {
      const prefix = nameInZone(name, domain);
      if (prefix !== undefined) return lookUpInDomain(name, prefix, type);
      const reverse = parseReverseName(name);
      if (reverse === undefined) return { kind: "outside" };
      return lookUpReverseName({ name, type, reverse, reverseRanges, objects, serial: serial(), context });
    },
  };
}

const isAddressType = (type: string): type is "A" | "AAAA" => type === "A" || type === "AAAA";

/** A name that no object has: it does not exist if all objects have been read. */
function absent(objects: ClusterObjects, soa: SoaAnswer): ZoneAnswer {
  return objects.hasSynced() ? { kind: "noSuchName", soa } : { kind: "unsynced" };
}

function nameServerRecords(
  { domain, ttl }: RecordContext,
  addresses: readonly string[],
): [answers: readonly Answer[], additionals: readonly Answer[]] {
  const data = `ns.dns.${domain}`;
  return [
    [{ type: "NS", class: "IN", name: domain, ttl, data }],
    addresses.map((address) => addressRecord(data, address, ttl)),
  ];
}

function recordsOf(
  found: Exclude<FoundName, { readonly kind: "none" | "alias" }>,
  name: string,
  type: string,
  context: RecordContext,
): [answers: readonly Answer[], additionals: readonly Answer[]] {
  if (found.kind === "empty") return [[], []];
  if (isAddressType(type) && found.has !== "ports") {
    return [addressRecords(name, addressesOf(found.targets), type, context.ttl), []];
  }
  if (type !== "SRV" || found.has === "addresses") return [[], []];
  const { answers, additionals } = serviceRecords(name, found.targets, context);
  return [answers, additionals];
}

function* addressesOf(targets: Iterable<Target>): Generator<string> {
  for (const { address } of targets) yield address;
}
