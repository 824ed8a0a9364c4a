/**
 * @module
 * The calls of etcd's v3 API that the store makes, encoded and decoded by hand: the generic codec of a client library costs
 * a fifth of a commit. Field numbers are those of etcd's rpc.proto and kv.proto.
 */
import { bigintField, bytesField, encode, type Field, intField, messageField, ProtoReader } from "./proto.ts";

/** One call: where it goes, and its two messages. */
export interface Rpc<Request, Response> {
  readonly path: string;
  readonly encode: (request: Request) => Buffer;
  readonly decode: (bytes: Buffer) => Response;
}

/** A key's version. */
export interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
}

export interface RangeRequest {
  readonly key: Buffer;
  readonly rangeEnd?: Buffer;
  readonly limit?: number;
  /** 0: the latest. */
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

export interface RangeResponse {
  readonly revision: number;
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
  readonly count: number;
}

export interface TxnRequest {
  readonly compare: readonly { readonly key: Buffer; readonly modRevision: number }[];
  /** Without a value: a delete. */
  readonly success: readonly { readonly key: Buffer; readonly value?: Uint8Array; readonly lease?: bigint }[];
  /** Keys to read if a comparison fails. */
  readonly failure: readonly Buffer[];
}

export interface TxnResponse {
  readonly revision: number;
  readonly succeeded: boolean;
  /** What the reads found, in order; nothing of writes. */
  readonly found: readonly (KeyValue | undefined)[];
}

/** A change in a {@link WatchResponse}. */
export interface WatchEvent {
  readonly deleted: boolean;
  readonly kv: KeyValue;
}

export interface WatchResponse {
  readonly canceled: boolean;
  /** Not 0 if the start of the watch was compacted. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** Whether the rest of the events comes in the next response. */
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
}

const NOTHING: Buffer = Buffer.alloc(0);

export const range: Rpc<RangeRequest, RangeResponse> = {
  path: "/etcdserverpb.KV/Range",
  encode: (request) => encode(rangeFields(request)),
  decode: decodeRange,
};

export const txn: Rpc<TxnRequest, TxnResponse> = {
  path: "/etcdserverpb.KV/Txn",
  encode({ compare, success, failure }) {
    const fields: Field[] = [];
    for (const { key, modRevision } of compare) {
      // result stays EQUAL, the default; target 2 is MOD.
      fields.push(messageField(1, [intField(2, 2), bytesField(3, key), intField(6, modRevision)]));
    }
    for (const { key, value, lease } of success) {
      const op = [bytesField(1, key)];
      if (value !== undefined) op.push(bytesField(2, value));
      if (lease !== undefined) op.push(bigintField(3, lease));
      fields.push(messageField(2, [messageField(value === undefined ? 3 : 2, op)]));
    }
    for (const key of failure) fields.push(messageField(3, [messageField(1, [bytesField(1, key)])]));
    return encode(fields);
  },
  decode(bytes) {
    const reader = new ProtoReader(bytes);
    let revision = 0;
    let succeeded = false;
    const found: (KeyValue | undefined)[] = [];
    for (let field = reader.field(); field !== 0; field = reader.field()) {
      if (field === 1) revision = decodeHeader(reader.bytes());
      else if (field === 2) succeeded = reader.varint() === 1;
      else if (field === 3) {
        const op = new ProtoReader(reader.bytes());
        if (op.field() === 1) found.push(decodeRange(op.bytes()).kvs[0]);
      } else reader.skip();
    }
    return { revision, succeeded, found };
  },
};

export const compact: Rpc<{ readonly revision: number }, object> = {
  path: "/etcdserverpb.KV/Compact",
  encode: ({ revision }) => encode([intField(1, revision)]),
  decode: () => ({}),
};

export const leaseGrant: Rpc<{ readonly ttlSeconds: number }, { readonly id: bigint }> = {
  path: "/etcdserverpb.Lease/LeaseGrant",
  encode: ({ ttlSeconds }) => encode([intField(1, ttlSeconds)]),
  decode(bytes) {
    const reader = new ProtoReader(bytes);
    let id = 0n;
    for (let field = reader.field(); field !== 0; field = reader.field()) {
      if (field === 2) id = reader.bigint();
      else reader.skip();
    }
    return { id };
  },
};

export const status: Rpc<undefined, { readonly dbSize: number }> = {
  path: "/etcdserverpb.Maintenance/Status",
  encode: () => NOTHING,
  decode(bytes) {
    const reader = new ProtoReader(bytes);
    let dbSize = 0;
    for (let field = reader.field(); field !== 0; field = reader.field()) {
      if (field === 3) dbSize = reader.varint();
      else reader.skip();
    }
    return { dbSize };
  },
};

/** An alarm that a member raised: type 1 is NOSPACE, 2 is CORRUPT. */
export interface Alarm {
  readonly member: bigint;
  readonly type: number;
}

/** Alarms of all members; the default action is GET. */
export const alarmList: Rpc<undefined, { readonly alarms: readonly Alarm[] }> = {
  path: "/etcdserverpb.Maintenance/Alarm",
  encode: () => NOTHING,
  decode(bytes) {
    const reader = new ProtoReader(bytes);
    const alarms: Alarm[] = [];
    for (let field = reader.field(); field !== 0; field = reader.field()) {
      if (field === 2) alarms.push(decodeAlarm(reader.bytes()));
      else reader.skip();
    }
    return { alarms };
  },
};

/** A watch, of the range [key, rangeEnd), in fragments where a response would be too large. */
export const watch: Rpc<
  { readonly key: Buffer; readonly rangeEnd: Buffer; readonly startRevision: number },
  WatchResponse
> = {
  path: "/etcdserverpb.Watch/Watch",
  encode: ({ key, rangeEnd, startRevision }) =>
    encode([
      messageField(1, [bytesField(1, key), bytesField(2, rangeEnd), intField(3, startRevision), intField(8, 1)]),
    ]),
  decode(bytes) {
    const reader = new ProtoReader(bytes);
    let canceled = false;
    let compactRevision = 0;
    let cancelReason = "";
    let fragment = false;
    const events: WatchEvent[] = [];
    for (let field = reader.field(); field !== 0; field = reader.field()) {
      if (field === 4) canceled = reader.varint() === 1;
      else if (field === 5) compactRevision = reader.varint();
      else if (field === 6) cancelReason = reader.bytes().toString();
      else if (field === 7) fragment = reader.varint() === 1;
      else if (field === 11) events.push(decodeEvent(reader.bytes()));
      else reader.skip();
    }
    return { canceled, compactRevision, cancelReason, fragment, events };
  },
};

function rangeFields({ key, rangeEnd, limit, revision, keysOnly, countOnly }: RangeRequest): Field[] {
  const fields = [bytesField(1, key)];
  if (rangeEnd !== undefined) fields.push(bytesField(2, rangeEnd));
  if (limit) fields.push(intField(3, limit));
  if (revision) fields.push(intField(4, revision));
  if (keysOnly) fields.push(intField(8, 1));
  if (countOnly) fields.push(intField(9, 1));
  return fields;
}

function decodeRange(bytes: Buffer): RangeResponse {
  const reader = new ProtoReader(bytes);
  let revision = 0;
  let more = false;
  let count = 0;
  const kvs: KeyValue[] = [];
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) revision = decodeHeader(reader.bytes());
    else if (field === 2) kvs.push(decodeKeyValue(reader.bytes()));
    else if (field === 3) more = reader.varint() === 1;
    else if (field === 4) count = reader.varint();
    else reader.skip();
  }
  return { revision, kvs, more, count };
}

/** The revision of a response header. */
function decodeHeader(bytes: Buffer): number {
  const reader = new ProtoReader(bytes);
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 3) return reader.varint();
    reader.skip();
  }
  return 0;
}

function decodeAlarm(bytes: Buffer): Alarm {
  const reader = new ProtoReader(bytes);
  let member = 0n;
  let type = 0;
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) member = BigInt.asUintN(64, reader.bigint());
    else if (field === 2) type = reader.varint();
    else reader.skip();
  }
  return { member, type };
}

function decodeEvent(bytes: Buffer): WatchEvent {
  const reader = new ProtoReader(bytes);
  let deleted = false;
  let kv: KeyValue = { key: NOTHING, value: NOTHING, createRevision: 0, modRevision: 0 };
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) deleted = reader.varint() === 1;
    else if (field === 2) kv = decodeKeyValue(reader.bytes());
    else reader.skip();
  }
  return { deleted, kv };
}

function decodeKeyValue(bytes: Buffer): KeyValue {
  const reader = new ProtoReader(bytes);
  let key = NOTHING;
  let value = NOTHING;
  let createRevision = 0;
  let modRevision = 0;
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) key = reader.bytes();
    else if (field === 2) createRevision = reader.varint();
    else if (field === 3) modRevision = reader.varint();
    else if (field === 5) value = reader.bytes();
    else reader.skip();
  }
  return { key, value, createRevision, modRevision };
}
