import { isIP } from "node:net";
import type { Answer, SoaAnswer, SrvAnswer, StringAnswer } from "dns-packet";
import type { Target } from "./found-name.ts";

/** Where records are: the cluster domain, and their time to live in seconds. */
export interface RecordContext {
  readonly domain: string;
  readonly ttl: number;
}

/**
 * Most records of an answer that are looked for: no message can hold more, because the smallest ones, of IPv4 addresses,
 * have 16 bytes.
 */
const MAX_RECORDS = 4096;

/** Most ports of targets that are read for an answer; many of them may be the same port of the same name. */
const MAX_PORTS_READ = 4 * MAX_RECORDS;

/** An A or AAAA record. */
export function addressRecord(name: string, address: string, ttl: number): StringAnswer {
  return { type: isIP(address) === 4 ? "A" : "AAAA", class: "IN", name, ttl, data: address };
}

/** Records of one address type, each address once, at most as many as a message can hold. */
export function addressRecords(
  name: string,
  addresses: Iterable<string>,
  type: "A" | "AAAA",
  ttl: number,
): readonly StringAnswer[] {
  const version = type === "A" ? 4 : 6;
  const unique = new Set<string>();
  for (const address of addresses) {
    if (unique.size >= MAX_RECORDS) break;
    if (isIP(address) === version) unique.add(address);
  }
  return [...unique].map((data) => ({ type, class: "IN", name, ttl, data }));
}

/**
 * SRV records of every port of the targets, each host and port once, and the addresses of the hosts; at most as many as a
 * message can hold. The weights of the records are equal and sum up to about 100, as CoreDNS's.
 */
export function serviceRecords(
  name: string,
  targets: Iterable<Target>,
  { domain, ttl }: RecordContext,
): { readonly answers: readonly SrvAnswer[]; readonly additionals: readonly StringAnswer[] } {
  const ports = new Map<string, { readonly target: string; readonly port: number }>();
  const addresses = new Map<string, StringAnswer>();
  let read = 0;
  for (const { host, address, port } of portsOf(targets)) {
    if (ports.size >= MAX_RECORDS || read >= MAX_PORTS_READ) break;
    read++;
    const target = `${host}.${domain}`;
    ports.set(`${port} ${target}`, { target, port });
    const key = `${address} ${target}`;
    if (!addresses.has(key)) addresses.set(key, addressRecord(target, address, ttl));
  }
  const weight = Math.max(1, Math.floor(100 / Math.max(1, ports.size)));
  const answers = [...ports.values()].map(
    (data): SrvAnswer => ({ type: "SRV", class: "IN", name, ttl, data: { priority: 0, weight, ...data } }),
  );
  return { answers, additionals: [...addresses.values()] };
}

function* portsOf(
  targets: Iterable<Target>,
): Generator<{ readonly host: string; readonly address: string; readonly port: number }> {
  for (const { host, address, ports } of targets) for (const port of ports()) yield { host, address, port };
}

/** The record of a zone that negative answers carry; its TTL is how long they may be cached (RFC 2308). */
export function soaRecord(zone: string, serial: number, { domain, ttl }: RecordContext): SoaAnswer {
  const data = {
    mname: `ns.dns.${domain}`,
    rname: `hostmaster.${domain}`,
    serial,
    refresh: 7200,
    retry: 1800,
    expire: 86_400,
    minimum: ttl,
  };
  return { type: "SOA", class: "IN", name: zone, ttl, data };
}

/** The only record of an answer to type ANY: all records of a name would make large answers to forged questions (RFC 8482). */
export const minimalRecord = (name: string, ttl: number): Answer => ({
  type: "HINFO",
  class: "IN",
  name,
  ttl,
  data: { cpu: "RFC8482", os: "" },
});
