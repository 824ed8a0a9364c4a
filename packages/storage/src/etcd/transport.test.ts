import { MultiRangeBuilder } from "etcd3/lib/builder.js";
import { EtcdLeaseInvalidError, GRPCDeadlineExceededError } from "etcd3/lib/errors.js";
import { AlarmAction, type ILeaseKeepAliveResponse } from "etcd3/lib/rpc.js";
import { NSApplicator } from "etcd3/lib/util.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { etcdAvailable, type RunningEtcd, startEtcd } from "../testing/start-etcd.ts";
import type { Connect } from "./http2/connection.ts";
import { LeanConnection } from "./http2/lean-connection.ts";
import { NodeConnection } from "./http2/node-connection.ts";
import { EtcdTransport } from "./transport.ts";

const kinds: readonly { readonly name: string; readonly connect: Connect }[] = [
  { name: "the lean connection", connect: (target) => new LeanConnection(target) },
  { name: "the reference connection", connect: (target) => new NodeConnection(target) },
];

describe.skipIf(!etcdAvailable()).each(kinds)("etcd3's clients over $name (need /usr/bin/etcd)", ({ connect }) => {
  let etcd: RunningEtcd;
  let transport: EtcdTransport;
  beforeAll(async () => {
    etcd = await startEtcd({ unsafeNoFsync: true });
    transport = new EtcdTransport({ servers: [etcd.url], requestTimeoutMs: 5000, connect });
  }, 60_000);
  afterAll(async () => {
    transport?.close();
    await etcd?.stop();
  });

  test("calls and builders send the requests of etcd3", async () => {
    const { kv, maintenance, cluster } = transport;
    const keys = ["p/a", "p/b", "q"];
    for (const key of keys) await kv.put({ key: Buffer.from(key), value: Buffer.from(`value of ${key}`) });
    const builder = () => new MultiRangeBuilder(kv, NSApplicator.default).prefix("p/");
    expect(await builder().strings()).toEqual({ "p/a": "value of p/a", "p/b": "value of p/b" });
    expect(await builder().sort("Key", "Descend").keys()).toEqual(["p/b", "p/a"]);
    expect(await builder().count()).toBe(2);
    const { deleted, header } = await kv.deleteRange({ key: Buffer.from("q") });
    expect([deleted, header.revision]).toEqual(["1", "5"]);
    expect((await maintenance.status()).version).toMatch(/^3\./);
    expect((await maintenance.alarm({ action: AlarmAction.Get })).alarms).toEqual([]);
    expect((await cluster.memberList({})).members).toMatchObject([{ name: "test", isLearner: false }]);
  });

  test("errors are StoreErrors, and their cause is etcd3's error", async () => {
    const revoked = transport.lease.leaseRevoke({ ID: "77" });
    await expect(revoked).rejects.toMatchObject({ name: "StoreError", cause: expect.any(EtcdLeaseInvalidError) });
    const late = transport.kv.range({ key: Buffer.from("a") }, { deadline: Date.now() - 1 });
    await expect(late).rejects.toMatchObject({ reason: "Timeout", cause: expect.any(GRPCDeadlineExceededError) });
  });

  test("a snapshot arrives complete, also when its reader is slow, and can be cancelled", async () => {
    for (let i = 0; i < 8; i++)
      await transport.kv.put({ key: Buffer.from(`large/${i}`), value: Buffer.alloc(1_000_000, i) });
    const read = async (slow: boolean) => {
      const own = new EtcdTransport({ servers: [etcd.url], requestTimeoutMs: 5000, connect });
      let size = 0;
      let rest = "";
      const snapshot = await own.maintenance.snapshot();
      for await (const { blob, remaining_bytes } of (
        snapshot as unknown as { messages(): AsyncIterable<{ blob: Buffer; remaining_bytes: string }> }
      ).messages()) {
        size += blob.length;
        rest = remaining_bytes;
        if (slow) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      own.close();
      return { size, rest };
    };
    const { size, rest } = await read(false);
    expect(size).toBeGreaterThan(8_000_000);
    expect(rest).toBe("0");
    expect((await read(true)).size).toBe(size);
    const left = (await transport.maintenance.snapshot()) as unknown as { messages(): AsyncIterable<object> };
    for await (const _ of left.messages()) break;
    expect((await transport.maintenance.status()).version).toMatch(/^3\./);
  }, 30_000);

  test("a lease is kept alive over one stream, which ends when the client closes it", async () => {
    const { ID } = await transport.lease.leaseGrant({ TTL: 100 });
    const stream = await transport.lease.leaseKeepAlive();
    const answers: ILeaseKeepAliveResponse[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      stream.on("end", resolve);
      stream.on("error", reject);
    });
    const two = new Promise<void>((resolve) => {
      stream.on("data", (answer) => {
        answers.push(answer);
        if (answers.length === 2) resolve();
        else stream.write({ ID });
      });
    });
    stream.write({ ID });
    await two;
    stream.end();
    await ended;
    expect(answers).toMatchObject([
      { ID, TTL: "100" },
      { ID, TTL: "100" },
    ]);
  });

  test("a stream ends with an error when the server stops", async () => {
    const stream = await transport.lease.leaseKeepAlive();
    const failed = new Promise<Error>((resolve) => stream.on("error", resolve));
    const { ID } = await transport.lease.leaseGrant({ TTL: 100 });
    const answered = new Promise((resolve) => stream.on("data", resolve));
    stream.write({ ID });
    await answered;
    await etcd.kill9();
    expect(await failed).toMatchObject({ name: "StoreError", reason: "Unavailable" });
    await etcd.restart();
  });
});
