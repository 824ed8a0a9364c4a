import { typeName } from "../wire/record-types.ts";

/** Types that are counted by name. Clients can ask for 65,536 types, of which each would be a time series. */
const COUNTED = new Set([
  ...["A", "AAAA", "ANY", "CNAME", "DNSKEY", "DS", "HINFO", "MX", "NAPTR", "NS"],
  ...["PTR", "SOA", "SRV", "TLSA", "TXT"],
]);

/** The label of a type: its name, or `other`. */
export function typeText(type: number | undefined): string {
  const name = type === undefined ? "other" : typeName(type);
  return COUNTED.has(name) ? name : "other";
}

/** Names of response codes as in CoreDNS's metrics, by their number. */
const RCODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

/** The label of a written answer's response code: its four bits in the header. */
export function rcodeText(answer: Buffer): string {
  return RCODES[(answer[3] ?? 0) & 0xf] ?? "other";
}
