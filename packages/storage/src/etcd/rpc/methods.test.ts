import { CompareResult, CompareTarget, EventType, SortOrder, SortTarget } from "etcd3/lib/rpc.js";
import protobuf from "protobufjs/light.js";
import { describe, expect, test } from "vitest";
import descriptor from "./descriptor.json" with { type: "json" };
import { describeRpc } from "./make-descriptor.ts";
import { methodOf, watchMethod } from "./methods.ts";

const root = protobuf.Root.fromJSON(descriptor);

/** Bytes as protobufjs writes them by itself. */
function bytesOf(type: string, message: object): Buffer {
  const known = root.lookupType(type);
  return Buffer.from(known.encode(known.fromObject(message)).finish());
}

test("the description of etcd's messages agrees with that of the etcd3 package", () => {
  // After a change of its version: node packages/storage/src/etcd/rpc/make-descriptor.ts
  expect(descriptor).toEqual(describeRpc());
});

describe("64-bit integers are decimal texts, exactly", () => {
  const signed = [
    "0",
    "1",
    "127",
    "128",
    "562949953421311",
    "562949953421312",
    "9007199254740993",
    "9223372036854775807",
    "-1",
    "-9223372036854775808",
  ];
  test.each(signed)("int64 %s", (revision) => {
    const bytes = bytesOf("etcdserverpb.PutResponse", { header: { revision } });
    expect(methodOf("KV", "put").decode(bytes)).toMatchObject({ header: { revision } });
  });

  test.each(["0", "562949953421312", "14841639068965178418", "18446744073709551615"])("uint64 %s", (cluster_id) => {
    const bytes = bytesOf("etcdserverpb.PutResponse", { header: { cluster_id } });
    expect(methodOf("KV", "put").decode(bytes)).toMatchObject({ header: { cluster_id } });
  });

  test.each([
    ["that ends the message", [0x0a, 0x02, 0x18, 0x80]],
    ["of eleven bytes", [0x0a, 0x0c, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
  ])("an integer %s is refused", (_, bytes) => {
    expect(() => methodOf("KV", "put").decode(Buffer.from(bytes))).toThrow(RangeError);
  });
});

describe("requests are encoded as protobufjs encodes them after a conversion", () => {
  const key = Buffer.from("a");
  const put = (bytes: number) => ({ request_put: { key, value: Buffer.alloc(bytes, "v") } });
  const compare = (mod_revision: number) => ({
    key,
    result: CompareResult.Equal,
    target: CompareTarget.Mod,
    mod_revision,
  });
  test.each<[title: string, service: string, name: string, type: string, request: object]>([
    ["no field", "KV", "range", "RangeRequest", {}],
    ["a range", "KV", "range", "RangeRequest", { key, range_end: key, limit: 500, revision: 0, keys_only: true }],
    [
      "a sorted one",
      "KV",
      "range",
      "RangeRequest",
      { key, sort_order: SortOrder.Descend, sort_target: SortTarget.Mod },
    ],
    ["an absent field", "KV", "range", "RangeRequest", { key, range_end: undefined }],
    ["a comparison with 0", "KV", "txn", "TxnRequest", { compare: [compare(0)] }],
    ["one above 2^31", "KV", "txn", "TxnRequest", { compare: [compare(2 ** 31)] }],
    ["one above 2^32", "KV", "txn", "TxnRequest", { compare: [compare(2 ** 32 + 1)] }],
    ["the largest exact one", "KV", "txn", "TxnRequest", { compare: [compare(Number.MAX_SAFE_INTEGER)] }],
    ["an empty value", "KV", "txn", "TxnRequest", { success: [put(0)] }],
    ["a value of two length bytes", "KV", "txn", "TxnRequest", { success: [put(200), put(20_000)] }],
    ["a value that is larger than any buffer", "KV", "txn", "TxnRequest", { success: [put(1_000_000)] }],
    ["the value after that", "KV", "txn", "TxnRequest", { success: [put(10)], failure: [{ request_range: { key } }] }],
    ["a lease", "KV", "put", "PutRequest", { key, lease: "7587854315672435789" }],
    ["a delete", "KV", "txn", "TxnRequest", { success: [{ request_delete_range: { key } }] }],
    ["a watch", "Watch", "watch", "WatchRequest", { create_request: { key, start_revision: 7, fragment: true } }],
  ])("%s", (_, service, name, type, request) => {
    const want = bytesOf(`etcdserverpb.${type}`, request);
    expect(Buffer.compare(Buffer.from(methodOf(service, name).encode(request)), want)).toBe(0);
  });

  test("a request is not changed by the next one", () => {
    const { encode } = methodOf("KV", "range");
    const first = encode({ key: Buffer.from("first") });
    const before = Buffer.from(first);
    encode({ key: Buffer.from("other") });
    expect(Buffer.from(first)).toEqual(before);
  });

  test("the name of an enum's value is rejected, and the next request is encoded whole", () => {
    const request = { compare: [{ key, result: "Equal", mod_revision: 1 }] };
    expect(() => methodOf("KV", "txn").encode(request)).toThrow(
      'want the number of an enum\'s value in a request to etcd, not "Equal"',
    );
    const next = { success: [put(3)] };
    expect(Buffer.from(methodOf("KV", "txn").encode(next))).toEqual(bytesOf("etcdserverpb.TxnRequest", next));
  });

  test("requests to other services may name the values of enums", () => {
    const bytes = methodOf("Maintenance", "alarm").encode({ action: "Deactivate", alarm: "Nospace" });
    expect(Buffer.from(bytes)).toEqual(bytesOf("etcdserverpb.AlarmRequest", { action: 2, alarm: 1 }));
  });
});

test("ids that were read before are read again, whichever came in between", () => {
  const ids = Array.from({ length: 20 }, (_, i) => String(2n ** 63n + BigInt(i) * 2n ** 50n));
  for (const cluster_id of [...ids, ...ids.toReversed(), ...ids]) {
    const bytes = bytesOf("etcdserverpb.PutResponse", { header: { cluster_id } });
    expect(methodOf("KV", "put").decode(bytes)).toMatchObject({ header: { cluster_id } });
  }
});

test("absent fields have the values of etcd3's types", () => {
  const bytes = bytesOf("etcdserverpb.RangeResponse", { header: {}, kvs: [{ key: Buffer.from("k") }] });
  const { kvs, count, more } = methodOf("KV", "range").decode(bytes) as { kvs: object[]; count: string; more: boolean };
  const [kv] = kvs as { value: Buffer; lease: string; mod_revision: string }[];
  expect([kv?.value, kv?.lease, kv?.mod_revision, count, more]).toEqual([Buffer.alloc(0), "0", "0", "0", false]);
});

test("enums of responses are names; an unknown one is its number", () => {
  const alarms = [{ memberID: "18446744073709551615", alarm: 1 }, { alarm: 7 }];
  const bytes = bytesOf("etcdserverpb.AlarmResponse", { alarms });
  expect(methodOf("Maintenance", "alarm").decode(bytes)).toMatchObject({
    alarms: [
      { memberID: "18446744073709551615", alarm: "Nospace" },
      { memberID: "0", alarm: 7 },
    ],
  });
});

test("events of a watch have the numbers of etcd3's EventType", () => {
  const events = [{ kv: { key: Buffer.from("a"), mod_revision: 7 } }, { type: EventType.Delete, kv: {} }];
  const { events: read } = watchMethod.decode(bytesOf("etcdserverpb.WatchResponse", { events })) as {
    events: { type: EventType; kv: { mod_revision: string } }[];
  };
  expect(read.map(({ type, kv }) => [type, kv.mod_revision])).toEqual([
    [EventType.Put, "7"],
    [EventType.Delete, "0"],
  ]);
});

test("a method that etcd does not have is refused", () => {
  expect(() => methodOf("KV", "increment")).toThrow("etcd has no method KV/Increment");
});
