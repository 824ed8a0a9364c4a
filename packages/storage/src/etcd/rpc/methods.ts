import type { IKeyValue } from "etcd3/lib/rpc.js";
import protobuf from "protobufjs/light.js";
import { DecimalReader } from "./decimal-reader.ts";
import descriptor from "./descriptor.json" with { type: "json" };
import { encodeRequest } from "./request-writer.ts";

/** One method of etcd's API: its path and the codecs of its messages, which have the shapes of etcd3's types. */
export interface EtcdMethod {
  /** Such as `/etcdserverpb.KV/Range`. */
  readonly path: string;
  /**
   * @param request fields by the names of the .proto files; absent ones have their defaults; enums of KV and Watch are numbers
   * @throws TypeError for the name of an enum's value in a request to KV or Watch
   */
  readonly encode: (request: object) => Uint8Array;
  /** @throws RangeError or Error for bytes that are not the response */
  readonly decode: (bytes: Buffer) => object;
}

const EMPTY = Buffer.alloc(0);
const LONGS = new Set(["int64", "uint64"]);
/**
 * Services of reads, writes and watches, whose requests are encoded without conversion; requests of others may
 * contain names of enums.
 */
const UNCONVERTED = new Set(["KV", "Watch"]);
/** For the rare responses with enums: names instead of numbers, decimal texts instead of Longs. */
const CONVERSION: protobuf.IConversionOptions = { longs: String, enums: String, defaults: true };

const root = protobuf.Root.fromJSON(descriptor);
/** By service and name; a combined key would have to be built for every call. */
const methods = new Map<string, Map<string, EtcdMethod>>();

/**
 * The method of a service, which is compiled on its first use.
 *
 * @param service such as `KV`
 * @param name as in etcd3's clients, such as `range`
 * @throws TypeError if there is no such method
 */
export function methodOf(service: string, name: string): EtcdMethod {
  let known = methods.get(service);
  if (known === undefined) {
    known = new Map();
    methods.set(service, known);
  }
  let method = known.get(name);
  if (method === undefined) {
    method = compile(service, `${service}/${name.charAt(0).toUpperCase()}${name.slice(1)}`);
    known.set(name, method);
  }
  return method;
}

function compile(service: string, id: string): EtcdMethod {
  const { request, response } = messagesOf(service, id);
  return {
    path: `/etcdserverpb.${id}`,
    encode: UNCONVERTED.has(service)
      ? (message) => encodeRequest(request, message)
      : (message) => request.encode(request.fromObject(message)).finish(),
    decode: hasEnums(response) ? byConversion(response) : directly(response),
  };
}

interface Messages {
  readonly request: protobuf.Type;
  readonly response: protobuf.Type;
}

function messagesOf(service: string, id: string): Messages {
  const { methods: known } = root.lookupService(`etcdserverpb.${service}`);
  const described = known[id.slice(service.length + 1)];
  if (described === undefined) throw new TypeError(`etcd has no method ${id}`);
  described.resolve();
  const { resolvedRequestType: request, resolvedResponseType: response } = described;
  if (request === null || response === null)
    throw new TypeError(`the messages of etcd's method ${id} are not described`);
  return { request, response };
}

/** Decodes without the copy that a conversion makes: responses with keys and values are of this kind. */
function directly(type: protobuf.Type): (bytes: Buffer) => object {
  setDefaults(type);
  return (bytes) => type.decode(new DecimalReader(bytes) as unknown as protobuf.Reader);
}

function byConversion(type: protobuf.Type): (bytes: Buffer) => object {
  return (bytes) => type.toObject(type.decode(bytes), CONVERSION);
}

/** Sets the values of absent fields: decimal texts and Buffers, as in fields that are present. */
function setDefaults(type: protobuf.Type, seen: Set<protobuf.Type> = new Set()): void {
  if (seen.has(type)) return;
  seen.add(type);
  for (const field of type.fieldsArray) {
    field.resolve();
    if (field.resolvedType instanceof protobuf.Type) setDefaults(field.resolvedType, seen);
    else if (!field.repeated && LONGS.has(field.type)) Object.assign(type.ctor.prototype, { [field.name]: "0" });
    else if (!field.repeated && field.type === "bytes") Object.assign(type.ctor.prototype, { [field.name]: EMPTY });
  }
}

function hasEnums(type: protobuf.Type, seen: Set<protobuf.Type> = new Set()): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  return type.fieldsArray.some((field) => {
    field.resolve();
    if (field.resolvedType instanceof protobuf.Enum) return true;
    return field.resolvedType instanceof protobuf.Type && hasEnums(field.resolvedType, seen);
  });
}

/** The watch, whose responses are not converted: the types of their events are numbers. */
export const watchMethod: EtcdMethod = {
  ...compile("Watch", "Watch/Watch"),
  decode: directly(messagesOf("Watch", "Watch/Watch").response),
};

const keyValue = root.lookupType("mvccpb.KeyValue");
const decodeKeyValueMessage = directly(keyValue);

/** Decodes a version of a key as etcd's database stores it. @throws RangeError or Error for other bytes */
export function decodeKeyValue(bytes: Buffer): IKeyValue {
  return decodeKeyValueMessage(bytes) as IKeyValue;
}

/** A lease as etcd's database stores it; etcd3 has no description of this message. */
const leaseMessage = new protobuf.Type("Lease")
  .add(new protobuf.Field("ID", 1, "int64"))
  .add(new protobuf.Field("TTL", 2, "int64"))
  .add(new protobuf.Field("RemainingTTL", 3, "int64"));
root.add(leaseMessage);
const decodeLeaseMessage = directly(leaseMessage);

/** Decodes a lease: id and seconds as decimal texts. @throws RangeError or Error for other bytes */
export function decodeLease(bytes: Buffer): {
  readonly ID: string;
  readonly TTL: string;
  readonly RemainingTTL: string;
} {
  return decodeLeaseMessage(bytes) as { ID: string; TTL: string; RemainingTTL: string };
}
