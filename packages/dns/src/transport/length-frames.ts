import { MAX_MESSAGE_BYTES } from "../wire/header.ts";

/** A message with its length before it, as it is sent over TCP (RFC 1035, section 4.2.2). */
export function frameOf(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(message.length + 2);
  frame.writeUInt16BE(message.length, 0);
  message.copy(frame, 2);
  return frame;
}

/** Chunks of an incomplete message that are held apart: many small ones would take more memory than their bytes. */
const MAX_CHUNKS = 64;

/** Divides a stream into messages. It holds at most one message that is not complete, and the chunk after it. */
export class LengthFrames {
  #pending: Buffer[] = [];
  #bytes = 0;

  /** Adds bytes of the stream; returns the messages that are complete now. They share memory with the chunks. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#pending.push(chunk);
    this.#bytes += chunk.length;
    const messages: Buffer[] = [];
    // The chunks are joined only when a message may be complete: a sender of single bytes costs no more than others.
    while (this.#bytes >= 2) {
      if ((this.#pending[0]?.length ?? 0) < 2) this.#join();
      const length = (this.#pending[0]?.readUInt16BE(0) ?? MAX_MESSAGE_BYTES) + 2;
      if (this.#bytes < length) {
        if (this.#pending.length >= MAX_CHUNKS) this.#join();
        break;
      }
      const bytes = this.#join();
      messages.push(bytes.subarray(2, length));
      this.#pending = length < bytes.length ? [bytes.subarray(length)] : [];
      this.#bytes -= length;
    }
    return messages;
  }

  #join(): Buffer {
    const [first] = this.#pending;
    const joined = first !== undefined && this.#pending.length === 1 ? first : Buffer.concat(this.#pending);
    this.#pending = [joined];
    return joined;
  }
}
