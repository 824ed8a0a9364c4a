import { seededNumbers } from "@orchernetes/apimachinery";
import packet, { type Answer } from "dns-packet";
import { expect, test } from "vitest";
import { RCODE } from "./header.ts";
import { type Query, readQuery } from "./query.ts";
import { ReplyWriter } from "./reply-writer.ts";
import { readUpstreamReply, replyFromUpstream, type UpstreamQuestion, writeUpstreamQuery } from "./upstream-reply.ts";

const queryOf = (name: string, edns?: number): Buffer =>
  packet.encode({
    type: "query",
    id: 258,
    flags: packet.RECURSION_DESIRED,
    questions: [{ type: "A", name }],
    additionals:
      edns === undefined
        ? []
        : [
            {
              type: "OPT",
              name: ".",
              udpPayloadSize: edns,
              extendedRcode: 0,
              ednsVersion: 0,
              flags: 0,
              flag_do: false,
              options: [],
            },
          ],
  });

function read(bytes: Buffer): Query {
  const received = readQuery(bytes);
  if (received.kind !== "query") throw new Error(`the packet is ${received.kind}`);
  return received.query;
}

const rejectionOf = (bytes: Buffer) => {
  const received = readQuery(bytes);
  return received.kind === "rejected" ? received.rcode : received.kind;
};

const addresses = (count: number, name: string): readonly Answer[] =>
  Array.from({ length: count }, (_, i) => ({
    type: "A",
    class: "IN",
    name,
    ttl: 5,
    data: `10.0.${i >> 8}.${i & 255}`,
  }));

test("a query keeps the spelling of its question, and its name is in lower case", () => {
  const query = read(queryOf("WeB.Default.svc.cluster.local", 4096));
  expect(query).toMatchObject({
    id: 258,
    name: "web.default.svc.cluster.local",
    type: 1,
    edns: { payloadBytes: 4096 },
  });
  expect(query.question.toString("latin1")).toContain("WeB");
});

test("packets that are no queries are ignored, and queries that no server answers are rejected", () => {
  const query = queryOf("a.b");
  expect(rejectionOf(Buffer.alloc(11))).toBe("ignored");
  expect(rejectionOf(packet.encode({ type: "response", questions: [{ type: "A", name: "a.b" }] }))).toBe("ignored");
  const withFlags = (flags: number) =>
    Buffer.concat([query.subarray(0, 2), Buffer.from([flags, 0]), query.subarray(4)]);
  expect(rejectionOf(withFlags(0x28))).toBe(RCODE.notImp);
  const withCount = (at: number, count: number) => {
    const changed = Buffer.from(query);
    changed.writeUInt16BE(count, at);
    return changed;
  };
  for (const at of [4, 6, 8, 10]) expect(rejectionOf(withCount(at, 0xffff))).toBe(RCODE.formErr);
  expect(rejectionOf(withCount(4, 0))).toBe(RCODE.formErr);
  expect(rejectionOf(withCount(4, 2))).toBe(RCODE.formErr);
  expect(
    rejectionOf(packet.encode({ type: "query", questions: [{ type: "TXT", class: "CH", name: "version.bind" }] })),
  ).toBe(RCODE.refused);
  expect(rejectionOf(packet.encode({ type: "query", questions: [{ type: "AXFR", name: "cluster.local" }] }))).toBe(
    RCODE.refused,
  );
});

test("an unknown version of EDNS is answered with BADVERS", () => {
  const bytes = queryOf("a.b", 1232);
  bytes[bytes.length - 5] = 1;
  const received = readQuery(bytes);
  expect(received).toMatchObject({ kind: "rejected", rcode: RCODE.badVers });
  if (received.kind !== "rejected") return;
  const reply = packet.decode(new ReplyWriter().write(received.query, { rcode: received.rcode }, 512));
  expect(reply.additionals).toMatchObject([{ type: "OPT", extendedRcode: 1 }]);
});

test("a question with a pointer, a dot within a label or bytes that are no text is malformed", () => {
  const header = queryOf("").subarray(0, 12);
  const question = (...name: number[]) => Buffer.concat([header, Buffer.from([...name, 0, 1, 0, 1])]);
  expect(rejectionOf(question(1, 0x61, 0))).toBe("query");
  expect(rejectionOf(question(0))).toBe("query");
  expect(rejectionOf(question(0xc0, 0))).toBe(RCODE.formErr);
  expect(rejectionOf(question(0xc0, 12))).toBe(RCODE.formErr);
  expect(rejectionOf(question(3, 0x61, 0x2e, 0x62, 0))).toBe(RCODE.formErr);
  expect(rejectionOf(question(1, 0xff, 0))).toBe(RCODE.formErr);
  expect(rejectionOf(question(0x41, 0x61, 0))).toBe(RCODE.formErr);
});

test("answers point to the question's name, so that 29 addresses of a service fit into 512 bytes", () => {
  const query = read(queryOf("Web.Default.svc.cluster.local"));
  const bytes = new ReplyWriter().write(query, { rcode: 0, answers: addresses(40, query.name) }, 512);
  const reply = packet.decode(bytes);
  expect(bytes.length).toBeLessThanOrEqual(512);
  expect(reply.flag_tc).toBe(true);
  expect(reply.answers).toHaveLength(29);
  expect(reply.answers?.[28]).toMatchObject({ name: "Web.Default.svc.cluster.local", data: "10.0.0.28" });
});

test("additional records that do not fit are left out without a mark", () => {
  const query = read(queryOf("a.b", 512));
  const reply = packet.decode(new ReplyWriter().write(query, { rcode: 0, additionals: addresses(100, "c.d") }, 512));
  expect(reply.flag_tc).toBe(false);
  expect(reply.additionals?.at(-1)?.type).toBe("OPT");
});

test("records of every kind are read by dns-packet as they were written", () => {
  const query = read(queryOf("a.b"));
  const answers: readonly Answer[] = [
    { type: "CNAME", class: "IN", name: "a.b", ttl: 1, data: "c.d" },
    { type: "SRV", class: "IN", name: "c.d", ttl: 1, data: { priority: 0, weight: 100, port: 80, target: "e.f" } },
    { type: "A", class: "IN", name: "e.f", ttl: 1, data: "10.0.0.1" },
    { type: "AAAA", class: "IN", name: "e.f", ttl: 1, data: "fd00:0:0:0:0:0:0:1" },
  ];
  const reply = packet.decode(new ReplyWriter().write(query, { rcode: 0, answers }, 512));
  expect(reply.answers).toMatchObject([...answers.slice(0, 3), { name: "e.f", data: "fd00::1" }]);
});

/** Random numbers in [0, 1), the same for each run. */
function fractions(seed: number): () => number {
  const below = seededNumbers(seed);
  return () => below(2 ** 24) / 2 ** 24;
}

/** Random changes of a packet: bytes, lengths, and pointers to random places. */
function damaged(bytes: Buffer, random: () => number): Buffer {
  const changed = Buffer.concat([bytes, Buffer.alloc(Math.floor(random() * 20), 0xc0)]);
  for (let left = Math.floor(random() * 6); left > 0; left--) {
    const at = Math.floor(random() * changed.length);
    changed[at] = random() < 0.3 ? 0xc0 : Math.floor(random() * 256);
  }
  return changed.subarray(0, Math.floor(random() * (changed.length + 1)));
}

test("no damaged or random packet makes reading throw or take long", () => {
  const random = fractions(1);
  const base = [queryOf("web.default.svc.cluster.local", 1232), queryOf("a.b")];
  const writer = new ReplyWriter();
  const start = performance.now();
  for (let i = 0; i < 20_000; i++) {
    const bytes =
      i % 4 === 0
        ? Buffer.from(Array.from({ length: Math.floor(random() * 80) }, () => Math.floor(random() * 256)))
        : damaged(base[i % 2] ?? Buffer.alloc(0), random);
    const received = readQuery(bytes);
    if (received.kind === "ignored") continue;
    const reply = { rcode: received.kind === "query" ? RCODE.noError : received.rcode };
    const answer = writer.write(received.query, reply, 512);
    expect(answer.length).toBeLessThanOrEqual(512);
    packet.decode(answer);
  }
  expect(performance.now() - start).toBeLessThan(10_000);
});

test("a damaged answer of an upstream server is read, ignored or rejected, and what is passed on is well-formed", () => {
  const random = fractions(2);
  const query = read(queryOf("example.com", 1232));
  const asked: UpstreamQuestion = { ...query, dnssecOk: false, checkingDisabled: false };
  const reply = packet.encode({
    type: "response",
    id: 7,
    questions: [{ type: "A", name: "example.com" }],
    answers: [{ type: "CNAME", name: "example.com", ttl: 60, data: "x.example.com" }, ...addresses(3, "x.example.com")],
    authorities: [{ type: "SOA", name: "com", ttl: 9, data: { mname: "a.com", rname: "b.com", minimum: 3 } }],
  });
  let passed = 0;
  for (let i = 0; i < 20_000; i++) {
    const bytes = i === 0 ? reply : damaged(reply, random);
    try {
      const read = readUpstreamReply(bytes, 7, asked);
      if (read === undefined) continue;
      const limit = 60 + Math.floor(random() * 300);
      const answer = replyFromUpstream(read, query, 1, limit);
      expect(answer.length).toBeLessThanOrEqual(limit);
      expect(readUpstreamReply(answer, query.id, asked)).toBeDefined();
      passed++;
    } catch (error) {
      expect(error).toMatchObject({ name: "MalformedMessageError" });
    }
  }
  expect(passed).toBeGreaterThan(100);
});

test("an answer with another id or question is not the answer", () => {
  const query = read(queryOf("Example.com"));
  const asked: UpstreamQuestion = { ...query, dnssecOk: false, checkingDisabled: false };
  const reply = (id: number, name: string, type: "A" | "AAAA" = "A") =>
    readUpstreamReply(packet.encode({ type: "response", id, questions: [{ type, name }] }), 7, asked);
  expect(reply(7, "eXample.com")).toBeDefined();
  expect(reply(8, "example.com")).toBeUndefined();
  expect(reply(7, "example.org")).toBeUndefined();
  expect(reply(7, "example.com", "AAAA")).toBeUndefined();
  expect(readUpstreamReply(writeUpstreamQuery(7, asked, true), 7, asked)).toBeUndefined();
});

test("an answer with negative or no SOA record is cached as RFC 2308 says", () => {
  const query = read(queryOf("example.com"));
  const asked: UpstreamQuestion = { ...query, dnssecOk: false, checkingDisabled: false };
  const secondsOf = (rcode: number, answers: readonly Answer[], soa?: { ttl: number; minimum: number }) => {
    const data = { mname: "a.com", rname: "b.com", minimum: soa?.minimum ?? 0 };
    const authorities: Answer[] = soa === undefined ? [] : [{ type: "SOA", name: "com", ttl: soa.ttl, data }];
    const questions = [{ type: "A", name: "example.com" } as const];
    const bytes = packet.encode({
      type: "response",
      id: 7,
      flags: rcode,
      questions,
      answers: [...answers],
      authorities,
    });
    return readUpstreamReply(bytes, 7, asked)?.cacheSeconds;
  };
  expect(secondsOf(0, addresses(2, "example.com"))).toBe(5);
  expect(secondsOf(0, [])).toBe(0);
  expect(secondsOf(3, [])).toBe(0);
  expect(secondsOf(3, [], { ttl: 100, minimum: 20 })).toBe(20);
  expect(secondsOf(0, [], { ttl: 10, minimum: 20 })).toBe(10);
  expect(secondsOf(2, addresses(2, "example.com"))).toBe(0);
});
