import type { Random } from "../random.ts";
import { mutatedBytes } from "./mutate-bytes.ts";
import { nastyText } from "./nasty-text.ts";

/** Names of the zone that the target has, of others, and such as no resolver asks for. */
const names = [
  "web.default.svc.cluster.local",
  "_http._tcp.web.default.svc.cluster.local",
  "db.default.svc.cluster.local",
  "10-1-0-7.db.default.svc.cluster.local",
  "ext.default.svc.cluster.local",
  "10-1-0-7.default.pod.cluster.local",
  "7.0.1.10.in-addr.arpa",
  "dns-version.cluster.local",
  "cluster.local",
  "example.com",
  "",
];

/** A, NS, CNAME, SOA, PTR, HINFO, MX, TXT, AAAA, SRV, NAPTR, DS, SSHFP, RRSIG, NSEC, SVCB, IXFR, AXFR, ANY, CAA, and none. */
const types = [1, 2, 5, 6, 12, 13, 15, 16, 28, 33, 35, 43, 44, 46, 47, 64, 251, 252, 255, 257, 65_535];

const short = (value: number): string => String.fromCharCode((value >> 8) & 0xff, value & 0xff);
const long = (value: number): string => short(value >>> 16) + short(value);

const wireName = (name: string): string =>
  `${name
    .split(".")
    .filter((label) => label !== "")
    .map((label) => String.fromCharCode(label.length & 0xff) + label)
    .join("")}\0`;

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");

function nameOf(random: Random): string {
  if (random.chance(0.8)) return wireName(random.pick(names));
  const label = latin1(nastyText(random)).slice(0, random.pick([1, 63, 64, 255]));
  return wireName(random.chance(0.5) ? label : `${label}.default.svc.cluster.local`);
}

function header(random: Random, flags: number, counts: readonly number[]): string {
  const odd = random.chance(0.1) ? random.below(65_536) : flags;
  return short(odd) + counts.map((count) => short(random.chance(0.05) ? random.below(65_536) : count)).join("");
}

/** A query with its id, often with EDNS, sometimes damaged. */
export function dnsQuery(random: Random): string {
  const question = nameOf(random) + short(random.pick(types)) + short(random.chance(0.95) ? 1 : random.below(65_536));
  const hasEdns = random.chance(0.5);
  const edns = hasEdns
    ? `\0${short(41)}${short(random.pick([0, 511, 512, 1232, 65_535]))}${long(random.pick([0, 0x8000, 0x10000]))}${short(0)}`
    : "";
  const bytes = short(random.below(65_536)) + header(random, 0x0100, [1, 0, 0, hasEdns ? 1 : 0]) + question + edns;
  return random.chance(0.5) ? mutatedBytes(random, bytes) : bytes;
}

/** The question of a query that {@link dnsQuery} made, if it was not damaged. */
function questionIn(query: string): string {
  let end = 12;
  while (end < query.length && query.charCodeAt(end) !== 0) end += query.charCodeAt(end) + 1;
  return query.slice(12, end + 5);
}

/** What an upstream server answers with, id 0, to a query or to the target of the zone's external name; sometimes damaged. */
export function dnsReply(random: Random, query: string): string {
  const question = random.chance(0.7)
    ? questionIn(query)
    : wireName("example.com") + short(random.pick(types)) + short(1);
  const record = (): string => {
    const owner = random.chance(0.7) ? "\u00c0\u000c" : nameOf(random);
    const data = random.chance(0.3)
      ? nameOf(random)
      : random.many(0, 24, () => String.fromCharCode(random.below(256))).join("");
    const length = random.chance(0.9) ? data.length : random.below(65_536);
    return (
      owner + short(random.pick(types)) + short(1) + long(random.pick([0, 30, 0xffff_ffff])) + short(length) + data
    );
  };
  const [answers, authorities] = [random.many(0, random.chance(0.1) ? 80 : 4, record), random.many(0, 2, record)];
  const flags = random.pick([0x8180, 0x8183, 0x8182, 0x8380]);
  const counts = [1, answers.length, authorities.length, 0];
  const bytes = short(0) + header(random, flags, counts) + question + answers.join("") + authorities.join("");
  return random.chance(0.4) ? mutatedBytes(random, bytes) : bytes;
}
