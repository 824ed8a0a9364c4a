import protobuf from "protobufjs/light.js";

/** The largest buffer, in bytes, that is kept for the next request; the buffer of a larger request is released after it. */
const MAX_KEPT_BYTES = 256 << 10;
/** Numbers below this are written directly, instead of as two 32-bit halves in an object. */
const UINT32_LIMIT = 2 ** 32;

/** A writer for messages that were not converted: enums are their numbers, 64-bit integers numbers or decimal texts. */
class RequestWriter extends protobuf.BufferWriter {
  /**
   * Writes enums; etcd's requests have no other int32.
   *
   * @throws TypeError for a name, which would be written as 0
   */
  override int32(value: number): protobuf.Writer {
    if (typeof value === "number") return super.int32(value);
    throw new TypeError(`want the number of an enum's value in a request to etcd, not ${JSON.stringify(value)}`);
  }

  override int64(value: Parameters<protobuf.Writer["int64"]>[0]): protobuf.Writer {
    if (typeof value === "number" && value >= 0 && value < UINT32_LIMIT) return super.uint32(value);
    return super.int64(value);
  }
}

/** Used by one request after the other, so that its buffer is usually large enough. */
let writer = new RequestWriter();

/**
 * Encodes a request without converting it to a message of protobufjs first, which costs more than the encoding.
 *
 * @param request fields by the names of the .proto files; enums are numbers
 * @returns bytes that nothing else refers to
 * @throws TypeError for the name of an enum's value
 */
export function encodeRequest(type: protobuf.Type, request: object): Buffer {
  try {
    type.encode(request, writer);
    // Typed by its base class; a BufferWriter allocates Buffers.
    const bytes = writer.finish() as Buffer;
    writer.reset();
    if (writer.buf.length > MAX_KEPT_BYTES) writer = new RequestWriter();
    return bytes;
  } catch (error) {
    // It may be within a nested message.
    writer = new RequestWriter();
    throw error;
  }
}
