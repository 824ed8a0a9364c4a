import { Resolver } from "node:dns/promises";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import packet, { type Packet, type RecordType } from "dns-packet";
import { expect, test } from "vitest";
import { answerTo, type Behaviour, type FakeUpstream, startFakeUpstream } from "../testing/fake-upstream.ts";
import { ObjectSet } from "../testing/object-set.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";

const queryOf = (name: string, type: RecordType = "A", id = 1): Buffer =>
  packet.encode({ type: "query", id, flags: packet.RECURSION_DESIRED, questions: [{ type, name }] });

async function ask({ ask }: TestServer, name: string, type: RecordType = "A"): Promise<Packet & { rcode: string }> {
  const answer = await ask(queryOf(name, type));
  if (answer === undefined) throw new Error("there is no answer");
  // The types of dns-packet leave the code out.
  return { rcode: "", ...packet.decode(answer) };
}

const address =
  (data: string): Behaviour =>
  (query) => [answerTo(query, { answers: [{ type: "A", name: query.questions?.[0]?.name ?? "", ttl: 60, data }] })];

const web = () =>
  new ObjectSet()
    .addService("web", { clusterIP: "10.96.1.1", ports: [{ name: "http", port: 80, protocol: "TCP" }] })
    .addService("ext", { type: "ExternalName", externalName: "example.com" })
    .addService("chain", { type: "ExternalName", externalName: "web.default.svc.cluster.local" })
    .addService("circle", { type: "ExternalName", externalName: "circle.default.svc.cluster.local" })
    .addService("db", { clusterIP: "None", clusterIPs: ["None"] })
    .addSlice(
      "db",
      Array.from({ length: 200 }, (_, i) => ({ addresses: [`10.1.0.${i}`] })),
    );

/** Limits with which tests of dead servers are fast. */
const fast = { upstreamTimeoutMs: 150, upstreamDeadlineMs: 1000 };

test("Node's resolver finds services, ports, endpoints and names of addresses", async () => {
  await using server = await startTestServer(web());
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${server.port}`]);
  expect(await resolver.resolve4("web.default.svc.cluster.local")).toEqual(["10.96.1.1"]);
  expect(await resolver.resolve4("WEB.default.SVC.cluster.local")).toEqual(["10.96.1.1"]);
  expect(await resolver.resolveSrv("_http._tcp.web.default.svc.cluster.local")).toMatchObject([
    { name: "web.default.svc.cluster.local", port: 80, priority: 0, weight: 100 },
  ]);
  expect(await resolver.reverse("10.1.0.7")).toEqual(["10-1-0-7.db.default.svc.cluster.local"]);
  expect(await resolver.resolveTxt("dns-version.cluster.local")).toEqual([["1.1.0"]]);
  expect(await resolver.resolve4("chain.default.svc.cluster.local")).toEqual(["10.96.1.1"]);
  await expect(resolver.resolve4("x.default.svc.cluster.local")).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(resolver.resolve6("web.default.svc.cluster.local")).rejects.toMatchObject({ code: "ENODATA" });
  // Its answer of 200 addresses is truncated over UDP; the resolver asks again over TCP.
  expect(await resolver.resolve4("db.default.svc.cluster.local")).toHaveLength(200);
});

test("negative answers carry the SOA record, and answers of a service are in a random order", async () => {
  await using server = await startTestServer(web());
  const missing = await ask(server, "x.default.svc.cluster.local");
  expect(missing).toMatchObject({ rcode: "NXDOMAIN", flag_aa: true, authorities: [{ type: "SOA", ttl: 30 }] });
  const orders = await Promise.all([1, 2, 3, 4].map(() => ask(server, "db.default.svc.cluster.local")));
  expect(new Set(orders.map(({ answers }) => JSON.stringify(answers?.[0]))).size).toBeGreaterThan(1);
});

test("before the objects have been read, absent names are a failure of the server", async () => {
  const objects = web();
  objects.synced = false;
  await using server = await startTestServer(objects);
  expect(await ask(server, "x.default.svc.cluster.local")).toMatchObject({ rcode: "SERVFAIL" });
});

test("other names are asked for once, by one query for all clients, and then answered from the cache", async () => {
  await using upstream = await startFakeUpstream(address("192.0.2.1"));
  await using server = await startTestServer(web(), { upstreams: [upstream] });
  const before = upstream.queries.length;
  const answers = await Promise.all([1, 2, 3].map(() => ask(server, "Example.com")));
  expect(answers.map((answer) => answer.answers)).toMatchObject(
    [1, 2, 3].map(() => [{ name: "Example.com", data: "192.0.2.1" }]),
  );
  expect(await ask(server, "example.COM")).toMatchObject({ questions: [{ name: "example.COM" }] });
  expect(upstream.queries.slice(before).filter(({ query }) => query.questions?.[0]?.type === "A")).toHaveLength(1);
  expect(server.server.cacheSize.entries).toBeGreaterThan(0);
});

test("an external name is answered with its target's addresses, or with the target's absence", async () => {
  await using upstream = await startFakeUpstream(address("192.0.2.1"));
  await using server = await startTestServer(web(), { upstreams: [upstream] });
  expect(await ask(server, "ext.default.svc.cluster.local")).toMatchObject({
    answers: [
      { type: "CNAME", data: "example.com" },
      { type: "A", name: "example.com", data: "192.0.2.1" },
    ],
  });
  upstream.behaviour = (query) => [answerTo(query, { flags: 3 })];
  expect(await ask(server, "ext.default.svc.cluster.local", "AAAA")).toMatchObject({
    rcode: "NXDOMAIN",
    answers: [{ type: "CNAME" }],
  });
  expect(await ask(server, "circle.default.svc.cluster.local")).toMatchObject({ rcode: "SERVFAIL" });
});

/** A record whose data is no valid data of its type. */
const nonsense =
  (type: number, data: Buffer): Behaviour =>
  (query) => {
    const name = query.questions?.[0]?.name ?? "";
    const answer = answerTo(query, { answers: [{ type: "NULL", name, ttl: 60, data }] });
    answer.writeUInt16BE(type, answer.length - data.length - 10);
    return [answer];
  };

test("nonsense in the records of an external name's target does not stop the server, nor does it from the cache", async () => {
  await using upstream = await startFakeUpstream(nonsense(44, Buffer.from([1, 1, 9, 9, 9])));
  await using server = await startTestServer(web(), { upstreams: [upstream] });
  const query = queryOf("ext.default.svc.cluster.local", "SSHFP");
  for (let time = 0; time < 2; time++) {
    // The data is copied as it is; dns-packet's decoder is not asked what it means.
    const overUdp = (await server.ask(query)) ?? Buffer.alloc(12);
    const [overTcp = Buffer.alloc(12)] = await server.askOverTcp([query]);
    for (const answer of [overUdp, overTcp]) {
      expect(answer.readUInt16BE(6)).toBe(2);
      expect(answer.subarray(-7)).toEqual(Buffer.from([0, 5, 1, 1, 9, 9, 9]));
    }
  }
  upstream.behaviour = nonsense(33, Buffer.from([1, 2, 3]));
  expect(await ask(server, "ext.default.svc.cluster.local", "SRV")).toMatchObject({
    rcode: "NOERROR",
    answers: [{ type: "CNAME" }],
  });
});

test("labels of an external name's records that are not UTF-8 are not written as other names", async () => {
  await using upstream = await startFakeUpstream(nonsense(15, Buffer.from([0, 1, 2, 0xff, 0xfe, 0])));
  await using server = await startTestServer(web(), { upstreams: [upstream] });
  expect((await ask(server, "ext.default.svc.cluster.local", "MX")).answers).toMatchObject([{ type: "CNAME" }]);
  upstream.behaviour = nonsense(15, Buffer.from([0, 1, 2, 0x6d, 0x78, 0]));
  server.server.setUpstreams([upstream]);
  expect((await ask(server, "ext.default.svc.cluster.local", "MX")).answers).toMatchObject([
    { type: "CNAME" },
    { type: "MX", name: "example.com", data: { exchange: "mx" } },
  ]);
});

test("a question whose answer fails is answered with SERVFAIL, and logged once", async () => {
  const errors: unknown[] = [];
  const logger = { info() {}, warn() {}, error: (error: unknown) => errors.push(error), v: () => undefined };
  const objects = web();
  objects.service = () => {
    throw new Error("a failure of the test");
  };
  await using server = await startTestServer(objects, { logger: { ...logger, child: () => silentLogger } });
  for (const type of ["A", "SRV"] as const)
    expect(await ask(server, "web.default.svc.cluster.local", type)).toMatchObject({ rcode: "SERVFAIL" });
  const [overTcp = Buffer.alloc(12)] = await server.askOverTcp([queryOf("web.default.svc.cluster.local")]);
  expect(packet.decode(overTcp)).toMatchObject({ rcode: "SERVFAIL" });
  expect(errors).toMatchObject([{ message: "a failure of the test" }]);
});

/** Asks for a name through a server that misbehaves and one that answers; returns the answer. */
async function askThrough(behaviour: Behaviour): Promise<{ readonly answer: Packet; readonly upstream: FakeUpstream }> {
  await using bad = await startFakeUpstream(behaviour);
  await using good = await startFakeUpstream(address("192.0.2.9"));
  await using server = await startTestServer(web(), { upstreams: [bad, good], limits: fast });
  return { answer: await ask(server, "example.com"), upstream: bad };
}

const fromTheSecond = { answers: [{ data: "192.0.2.9" }] };

test("the next server is asked after one that is silent, refuses, fails or sends nonsense", async () => {
  expect((await askThrough(() => undefined)).answer).toMatchObject(fromTheSecond);
  expect((await askThrough((query) => [answerTo(query, { flags: 2 })])).answer).toMatchObject(fromTheSecond);
  expect((await askThrough((query) => [answerTo(query, { flags: 5 })])).answer).toMatchObject(fromTheSecond);
  expect((await askThrough(() => [Buffer.from("nonsense, and more of it")])).answer).toMatchObject(fromTheSecond);
  const cut: Behaviour = (query, bytes, protocol) =>
    address("192.0.2.8")(query, bytes, protocol)?.map((answer) => answer.subarray(0, answer.length - 3));
  expect((await askThrough(cut)).answer).toMatchObject(fromTheSecond);
});

test("packets with another id or question, as those of somebody who guesses, are ignored", async () => {
  const forged: Behaviour = (query, bytes, protocol) => {
    const wrongId = answerTo({ ...query, id: ((query.id ?? 0) + 1) & 0xffff }, { answers: [] });
    const wrongName = answerTo({ ...query, questions: [{ type: "A", name: "evil.com" }] }, { answers: [] });
    return [wrongId, wrongName, ...(address("192.0.2.1")(query, bytes, protocol) ?? [])];
  };
  const { answer } = await askThrough(forged);
  expect(answer).toMatchObject({ answers: [{ data: "192.0.2.1" }] });
  const flood: Behaviour = (query) =>
    Array.from({ length: 100 }, (_, i) => answerTo({ ...query, id: ((query.id ?? 0) + 1 + i) & 0xffff }, {}));
  expect((await askThrough(flood)).answer).toMatchObject(fromTheSecond);
});

test("queries have random ids and ports", async () => {
  await using upstream = await startFakeUpstream(address("192.0.2.1"));
  await using server = await startTestServer(web(), { upstreams: [upstream] });
  for (let i = 0; i < 8; i++) await ask(server, `n${i}.example.com`);
  const asked = upstream.queries.filter(({ query }) => query.questions?.[0]?.type === "A");
  expect(new Set(asked.map(({ query }) => query.id)).size).toBeGreaterThan(6);
  expect(new Set(asked.map(({ fromPort }) => fromPort)).size).toBeGreaterThan(6);
});

test("a truncated answer is fetched over TCP, and a server without EDNS is asked without it", async () => {
  const large: Behaviour = (query, _bytes, protocol) => {
    const name = query.questions?.[0]?.name ?? "";
    const answers = Array.from({ length: 200 }, (_, i) => ({ type: "A", name, ttl: 9, data: `192.0.2.${i}` }) as const);
    return [protocol === "udp" ? answerTo(query, { flags: packet.TRUNCATED_RESPONSE }) : answerTo(query, { answers })];
  };
  await using upstream = await startFakeUpstream(large);
  await using server = await startTestServer(web(), { upstreams: [upstream] });
  const overUdp = await ask(server, "example.com");
  expect(overUdp).toMatchObject({ flag_tc: true });
  // The upstream server does not compress its names, and the answer keeps them: 10 of 43 bytes fit.
  expect(overUdp.answers?.length).toBeGreaterThan(10);
  const [overTcp] = await server.askOverTcp([queryOf("example.com")]);
  expect(packet.decode(overTcp ?? Buffer.alloc(0)).answers).toHaveLength(200);
  upstream.behaviour = (query, bytes, protocol) =>
    query.additionals?.length ? [answerTo(query, { flags: 1 })] : address("192.0.2.1")(query, bytes, protocol);
  expect(await ask(server, "old.example.com")).toMatchObject({ answers: [{ data: "192.0.2.1" }] });
});

test("if no server answers, the failure is remembered for a short time", async () => {
  await using upstream = await startFakeUpstream(() => undefined);
  await using server = await startTestServer(web(), { upstreams: [upstream], limits: fast });
  expect(await ask(server, "example.com")).toMatchObject({ rcode: "SERVFAIL" });
  const asked = upstream.queries.length;
  expect(await ask(server, "example.com")).toMatchObject({ rcode: "SERVFAIL" });
  expect(upstream.queries.length).toBe(asked);
});

test("one client cannot take all places for questions that wait", async () => {
  await using upstream = await startFakeUpstream(() => undefined);
  const limits = { ...fast, maxWaitingPerClient: 3 };
  await using server = await startTestServer(web(), { upstreams: [upstream], limits });
  const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => ask(server, `n${n}.example.com`)));
  const rcodes = answers.map(({ rcode }) => rcode).sort();
  expect(rcodes).toEqual(["REFUSED", "REFUSED", "SERVFAIL", "SERVFAIL", "SERVFAIL"]);
  // Names of the cluster need no place.
  expect(await ask(server, "web.default.svc.cluster.local")).toMatchObject({ rcode: "NOERROR" });
});

test("when clients with many questions have their places, one with few still gets one", async () => {
  await using upstream = await startFakeUpstream(() => undefined);
  const limits = { upstreamTimeoutMs: 1000, upstreamDeadlineMs: 1000, maxConcurrentForwards: 10 };
  await using server = await startTestServer(web(), { upstreams: [upstream], limits });
  const names = Array.from({ length: 20 }, (_, n) => `n${n}.example.com`);
  const many = Promise.all(names.map((name) => ask(server, name)));
  const isOfMany = (name = ""): boolean => /^n\d+\.example\.com$/.test(name);
  while (upstream.queries.filter(({ query }) => isOfMany(query.questions?.[0]?.name)).length < 8)
    await systemClock.sleep(1);
  upstream.behaviour = address("192.0.2.1");
  const answer = await server.ask(queryOf("other.example.com"), 5000, "127.0.0.2");
  expect(packet.decode(answer ?? Buffer.alloc(12))).toMatchObject({ answers: [{ data: "192.0.2.1" }] });
  const rcodes = (await many).map(({ rcode }) => rcode);
  expect(rcodes.filter((rcode) => rcode === "SERVFAIL")).toHaveLength(8);
  expect(rcodes.filter((rcode) => rcode === "REFUSED")).toHaveLength(12);
});

test("one client cannot ask more than its share, and large answers count more", async () => {
  await using server = await startTestServer(web(), { limits: { maxQueriesPerSecond: 7 } });
  const rcodes: string[] = [];
  // 200 addresses are worth 12 questions.
  for (const service of ["web", "db", ...Array.from({ length: 20 }, () => "web")])
    rcodes.push((await ask(server, `${service}.default.svc.cluster.local`)).rcode);
  expect(rcodes.slice(0, 2)).toEqual(["NOERROR", "NOERROR"]);
  expect(rcodes).toContain("REFUSED");
});

test("a server that sends questions back is found and no longer used", async () => {
  const lines: string[] = [];
  const logger = {
    info() {},
    warn: (line: string) => lines.push(line),
    error() {},
    v: () => undefined,
    child: () => logger,
  };
  await using upstream = await startFakeUpstream(() => undefined);
  await using server = await startTestServer(web(), { upstreams: [upstream], limits: fast, logger });
  upstream.behaviour = (_query, bytes) => {
    void server.ask(Buffer.from(bytes), 1000);
    return undefined;
  };
  server.server.setUpstreams([upstream]);
  while (lines.length === 0) await systemClock.sleep(10);
  expect(lines[0]).toContain("send queries back");
  expect(await ask(server, "example.com")).toMatchObject({ rcode: "REFUSED" });
});

test("a connection answers questions that were sent at once, and is closed when it is idle or not read", async () => {
  const limits = { tcp: { idleMs: 200 } };
  await using server = await startTestServer(web(), { limits });
  const names = Array.from({ length: 300 }, (_, i) => queryOf("web.default.svc.cluster.local", "A", i));
  const answers = await server.askOverTcp(names);
  expect(answers.map((answer) => packet.decode(answer).id)).toEqual(names.map((_, i) => i));
  await expect(server.askOverTcp([Buffer.alloc(5)])).rejects.toThrow(/closed/);
});

test("messages that are no queries do not keep a connection", async () => {
  const limits = { tcp: { idleMs: 60_000 } };
  await using server = await startTestServer(web(), { limits });
  const response = queryOf("web.default.svc.cluster.local");
  response.writeUInt16BE(0x8000, 2);
  for (const message of [Buffer.alloc(0), Buffer.alloc(5), response])
    await expect(server.askOverTcp([message])).rejects.toThrow(/closed|reset|ECONNRESET/);
});

test("answers over UDP are at most as large as the client accepts, and never larger than a frame of the network", async () => {
  await using server = await startTestServer(web());
  const sizeFor = async (udpPayloadSize: number) => {
    const opt = {
      type: "OPT",
      name: ".",
      udpPayloadSize,
      extendedRcode: 0,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
    } as const;
    const questions = [{ type: "A", name: "db.default.svc.cluster.local" } as const];
    const answer = await server.ask(
      packet.encode({ type: "query", questions, additionals: [{ ...opt, options: [] }] }),
    );
    return answer?.length ?? 0;
  };
  expect(await sizeFor(100)).toBeLessThanOrEqual(512);
  expect(await sizeFor(65_535)).toBeLessThanOrEqual(1232);
  expect(await sizeFor(65_535)).toBeGreaterThan(1200);
});

test("a connection with waiting questions answers all of them in time, and further connections of a client are closed", async () => {
  await using upstream = await startFakeUpstream(() => undefined);
  const limits = { ...fast, tcp: { maxConnectionsPerClient: 2, maxPipelined: 2 } };
  let dropped = 0;
  const metrics = { dropped: () => void dropped++ };
  await using server = await startTestServer(web(), { upstreams: [upstream], limits, metrics });
  const slow = [1, 2, 3].map((n) => queryOf(`n${n}.example.com`, "A", n));
  const fastOne = queryOf("web.default.svc.cluster.local", "A", 9);
  const [first, second, third] = await Promise.allSettled([
    server.askOverTcp([...slow, fastOne]),
    server.askOverTcp([fastOne, ...slow]),
    server.askOverTcp([fastOne]),
  ]);
  expect([first.status, second.status, third.status].sort()).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(dropped).toBe(1);
});

test("a second server for the same address serves when the first has gone", async () => {
  const first = await startTestServer(web());
  const states: object[] = [];
  const onState = (state: object) => void states.push(state);
  const second = startTestServer(web(), { listeners: [{ address: "127.0.0.1", port: first.port }], onState });
  while (states.length === 0) await systemClock.sleep(1);
  await first[Symbol.asyncDispose]();
  await using server = await second;
  expect(server.port).toBe(first.port);
  expect(states[0]).toEqual({ isServing: false, isTaken: true });
  expect(states.at(-1)).toEqual({ isServing: true, isTaken: false });
  expect(await ask(server, "web.default.svc.cluster.local")).toMatchObject({ rcode: "NOERROR" });
});

test("type ANY has one small record", async () => {
  await using server = await startTestServer(web());
  for (const name of ["web.default.svc.cluster.local", "example.com"]) {
    expect(await ask(server, name, "ANY" as RecordType)).toMatchObject({
      answers: [{ type: "HINFO", data: { cpu: "RFC8482" } }],
    });
  }
});

test("clients that are not admitted get no answer over UDP, and no connection", async () => {
  const dropped: string[] = [];
  const asked: string[] = [];
  const admits = (address: string) => {
    asked.push(address);
    return false;
  };
  await using server = await startTestServer(web(), { admits, metrics: { dropped: (reason) => dropped.push(reason) } });
  expect(await server.ask(queryOf("web.default.svc.cluster.local"), 300)).toBeUndefined();
  await expect(server.askOverTcp([queryOf("web.default.svc.cluster.local")])).rejects.toThrow();
  expect(dropped).toEqual(["not-admitted", "not-admitted"]);
  expect(asked).toEqual(["127.0.0.1", "127.0.0.1"]);
});
