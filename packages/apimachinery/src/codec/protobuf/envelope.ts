import type { MessageSchema } from "../../schema/index.ts";
import { DecodeError } from "../decode-error.ts";
import { decodeMessage } from "./decode.ts";
import { encodeMessage } from "./encode.ts";
import { Reader, textOf } from "./reader.ts";
import { ReverseWriter } from "./writer.ts";

/** The first bytes of every protobuf body and stored object. */
export const protobufMagic: Uint8Array = Uint8Array.of(0x6f, 0x38, 0x73, 0x00);
/** Media type of such bodies. */
export const protobufMediaType = "application/vnd.orchernetes.protobuf";

/** The media type that stock clients use for the same encoding; their bodies differ only in the magic. */
export const stockProtobufMediaType = "application/vnd.kubernetes.protobuf";
const stockMagic: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** The envelope of an object on the wire (runtime.Unknown). */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object's message. */
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

/** Whether bytes begin with the magic of an envelope. */
export function isProtobuf(bytes: Uint8Array): boolean {
  return protobufMagic.every((byte, i) => bytes[i] === byte);
}

/** Wraps a message in its envelope. */
export function writeEnvelope(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const writer = new ReverseWriter(raw.length + 128);
  writeAfter(writer);
  writer.raw(raw);
  writeBefore(writer, apiVersion, kind, raw.length);
  return writer.finish();
}

/**
 * The parts of an envelope before and after a message of a given length, so that a long message need not be copied
 * into it.
 */
export function envelopeAround(
  apiVersion: string,
  kind: string,
  rawLength: number,
): { readonly head: Buffer; readonly tail: Buffer } {
  const head = new ReverseWriter(128);
  writeBefore(head, apiVersion, kind, rawLength);
  const tail = new ReverseWriter(8);
  writeAfter(tail);
  return { head: head.finish(), tail: tail.finish() };
}

function writeAfter(writer: ReverseWriter): void {
  writer.close(4, writer.length);
  writer.close(3, writer.length);
}

function writeBefore(writer: ReverseWriter, apiVersion: string, kind: string, rawLength: number): void {
  writer.varint(rawLength);
  writer.tag(2, 2);
  const mark = writer.length;
  for (const [id, text] of [
    [2, kind],
    [1, apiVersion],
  ] as const) {
    const start = writer.length;
    writer.text(text);
    writer.close(id, start);
  }
  writer.close(1, mark);
  writer.raw(protobufMagic);
}

/**
 * Reads an envelope of this project's or of stock clients' dialect; the message inside is not decoded.
 *
 * @throws DecodeError
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (!isProtobuf(bytes) && !stockMagic.every((byte, i) => bytes[i] === byte)) {
    throw new DecodeError("provided data does not appear to be a protobuf message, expected prefix 6f387300");
  }
  const envelope = { apiVersion: "", kind: "", raw: new Uint8Array(), contentEncoding: "", contentType: "" };
  const reader = new Reader(bytes, protobufMagic.length);
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (wire !== 2 || field > 4) {
      reader.skip(wire);
      continue;
    }
    const content = reader.bytes();
    if (field === 1) {
      Object.assign(envelope, readTypeMeta(content));
    } else if (field === 2) {
      envelope.raw = new Uint8Array(content.buffer, content.byteOffset, content.byteLength) as Uint8Array<ArrayBuffer>;
    } else {
      envelope[field === 3 ? "contentEncoding" : "contentType"] = textOf(content);
    }
  }
  return envelope;
}

/** Reads the first field of an envelope: the type of its object. @throws DecodeError */
export function readTypeMeta(bytes: Uint8Array): Pick<Envelope, "apiVersion" | "kind"> {
  const typeMeta = { apiVersion: "", kind: "" };
  const reader = new Reader(bytes);
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (wire === 2 && (field === 1 || field === 2))
      typeMeta[field === 1 ? "apiVersion" : "kind"] = textOf(reader.bytes());
    else reader.skip(wire);
  }
  return typeMeta;
}

/** Encodes an object with its envelope; `kind` and `apiVersion` are the object's own. */
export function encodeProtobuf<
  T extends { readonly kind?: string | undefined; readonly apiVersion?: string | undefined },
>(schema: MessageSchema<T>, object: T): Buffer {
  return writeEnvelope(object.apiVersion ?? "", object.kind ?? "", encodeMessage(schema, object));
}

/**
 * Decodes the object in an envelope, with `kind` and `apiVersion` from the envelope.
 *
 * @throws DecodeError
 */
export function decodeProtobuf<T>(schema: MessageSchema<T>, bytes: Uint8Array): T {
  return decodeEnvelope(schema, readEnvelope(bytes));
}

/** Like {@link decodeProtobuf}, for an envelope that has been read. @throws DecodeError */
export function decodeEnvelope<T>(schema: MessageSchema<T>, envelope: Envelope): T {
  const { apiVersion, kind, raw, contentEncoding } = envelope;
  if (contentEncoding !== "") {
    throw new DecodeError(`proto: content encoding ${JSON.stringify(contentEncoding)} is not supported`);
  }
  const {
    kind: _kind,
    apiVersion: _apiVersion,
    ...rest
  } = decodeMessage<Record<string, unknown>>(schema as MessageSchema<Record<string, unknown>>, raw);
  return { ...(kind === "" ? {} : { kind }), ...(apiVersion === "" ? {} : { apiVersion }), ...rest } as T;
}

/**
 * One frame of a protobuf watch stream: four bytes of length, then an event whose object is a whole envelope.
 *
 * @param object bytes of {@link encodeProtobuf}
 */
export function watchFrame(type: string, object: Uint8Array): Buffer {
  const writer = new ReverseWriter(object.length + 64);
  const mark = writer.length;
  writer.raw(object);
  writer.close(1, mark);
  writer.close(2, mark);
  const start = writer.length;
  writer.text(type);
  writer.close(1, start);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(writer.length);
  writer.raw(size);
  return writer.finish();
}

/** What a frame of {@link watchFrame} holds behind its length. */
export interface WatchFrame {
  readonly type: string;
  /** The object in its envelope. */
  readonly object: Uint8Array;
}

/**
 * Reads a frame of a watch stream.
 *
 * @param bytes the frame without the four bytes of its length
 * @throws DecodeError
 */
export function readWatchFrame(bytes: Uint8Array): WatchFrame {
  let type = "";
  let object: Uint8Array = new Uint8Array();
  const reader = new Reader(bytes);
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (wire !== 2 || field > 2) {
      reader.skip(wire);
      continue;
    }
    const content = reader.bytes();
    if (field === 1) type = textOf(content);
    else object = bytesAt(content, 1);
  }
  return { type, object };
}

/** The last field of a message with this number, whose content is bytes; empty without one. */
function bytesAt(message: Uint8Array, id: number): Uint8Array {
  let found: Uint8Array = new Uint8Array();
  const reader = new Reader(message);
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (field === id && wire === 2) found = reader.bytes();
    else reader.skip(wire);
  }
  return found;
}
