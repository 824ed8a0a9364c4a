import { EventType } from "etcd3/lib/rpc.js";
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

test("the description of etcd's messages is that of the etcd3 package", () => {
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

test("absent fields have the values of etcd3's types", () => {
  const bytes = bytesOf("etcdserverpb.RangeResponse", { header: {}, kvs: [{ key: Buffer.from("k") }] });
  const { kvs, count, more } = methodOf("KV", "range").decode(bytes) as { kvs: object[]; count: string; more: boolean };
  const [kv] = kvs as { value: Buffer; lease: string; mod_revision: string }[];
  expect([kv?.value, kv?.lease, kv?.mod_revision, count, more]).toEqual([Buffer.alloc(0), "0", "0", "0", false]);
});

test("enums of responses are names; a type that etcd may have one day is its number", () => {
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
