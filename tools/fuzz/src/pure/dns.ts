import { answerOffline, ObjectSet } from "@orchernetes/dns/testing";
import { dnsQuery, dnsReply } from "../generate/dns-packets.ts";
import { bytesOf, type PureTarget } from "../target.ts";

interface DnsCase extends Readonly<Record<string, string>> {
  readonly protocol: "udp" | "tcp";
  readonly query: string;
  readonly reply: string;
}

const ports = [
  { name: "http", port: 80, protocol: "TCP" as const },
  { name: "odd", port: 70_000, protocol: "TCP" as const },
];

const objects = new ObjectSet()
  .addService("web", { clusterIP: "10.96.1.1", clusterIPs: ["10.96.1.1", "fd00:96::1"], ports })
  .addService("ext", { type: "ExternalName", externalName: "example.com" })
  .addService("db", { clusterIP: "None", clusterIPs: ["None"] })
  .addSlice(
    "db",
    Array.from({ length: 300 }, (_, i) => ({ addresses: [`10.1.${i >> 8}.${i & 0xff}`] })),
    ports,
  );

/** Header of a DNS message: id, flags, and the numbers of records of its four parts. */
const HEADER_BYTES = 12;

/**
 * Packets of clients and of upstream servers: whatever they are, cluster DNS answers every query, and only queries, with a message of
 * the same id and not more than the client takes. It never fails on the way.
 */
export const dnsTarget: PureTarget<DnsCase> = {
  name: "dns",
  generate: (random) => {
    const query = dnsQuery(random);
    return { protocol: random.pick(["udp", "tcp"] as const), query, reply: dnsReply(random, query) };
  },
  check: ({ protocol, query, reply }) => {
    const packet = bytesOf(query);
    const { answer, limit, errors } = answerOffline(objects, packet, { protocol, reply: bytesOf(reply) });
    if (errors.length > 0) return `fails on the way: ${errors[0]}`;
    const isQuery = packet.length >= HEADER_BYTES && (packet.readUInt16BE(2) & 0x8000) === 0;
    if (answer === undefined) return isQuery ? "a query gets no answer" : undefined;
    if (!isQuery) return "answers what is no query";
    if (answer.length < HEADER_BYTES || answer.length > limit)
      return `an answer of ${answer.length} bytes, at most ${limit} are due`;
    if (answer.readUInt16BE(0) !== packet.readUInt16BE(0)) return "the answer has another id";
    if ((answer.readUInt16BE(2) & 0x8000) === 0) return "the answer is a query";
    if ((answer.readUInt16BE(2) & 0x7800) !== (packet.readUInt16BE(2) & 0x7800)) return "the answer has another opcode";
    return undefined;
  },
};
