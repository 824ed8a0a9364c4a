import { createHash } from "node:crypto";

/** The constant of RFC 6455 §1.3. */
const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The `Sec-WebSocket-Accept` for a client's `Sec-WebSocket-Key` (RFC 6455 §4.2.2). */
export function acceptKey(key: string): string {
  return createHash("sha1")
    .update(key + guid)
    .digest("base64");
}

/** Opcodes of frames (RFC 6455 §5.2). */
export const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Encodes a complete message or a control frame of a server. */
export function messageFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 126) head[1] = length;
  else if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** A signal from the client that the server must react to. */
export type ClientSignal =
  | { readonly type: "ping"; readonly payload: Buffer }
  | { readonly type: "close" }
  /** The bytes are not valid WebSocket frames. */
  | { readonly type: "broken" };

/** Maximum length of a frame header: two bytes, eight of length, four of mask. */
const longestHead = 14;
const longestControl = 125;

/** Reads control frames of a client. Messages of any length are skipped without buffering them. */
export class ClientFrames {
  #pending = Buffer.alloc(0);
  #skip = 0;

  /** Processes received bytes. */
  read(chunk: Buffer): readonly ClientSignal[] {
    const signals: ClientSignal[] = [];
    let bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length);
      this.#skip -= skipped;
      bytes = bytes.subarray(skipped);
      const head = this.#skip > 0 ? undefined : headOf(bytes);
      if (head === undefined) break;
      if (head === "broken") return [...signals, { type: "broken" }];
      if (!head.control) {
        bytes = bytes.subarray(head.size);
        this.#skip = head.length;
        continue;
      }
      const end = head.size + head.length;
      if (bytes.length < end) break;
      const mask = bytes.subarray(head.size - 4, head.size);
      const payload = Buffer.from(bytes.subarray(head.size, end).map((byte, i) => byte ^ (mask[i % 4] ?? 0)));
      if (head.opcode === opcodes.close) signals.push({ type: "close" });
      else if (head.opcode === opcodes.ping) signals.push({ type: "ping", payload });
      bytes = bytes.subarray(end);
    }
    // At most an incomplete control frame remains.
    this.#pending = Buffer.from(bytes);
    return signals;
  }
}

interface Head {
  readonly opcode: number;
  readonly control: boolean;
  readonly size: number;
  readonly length: number;
}

/** Parses a frame header; undefined until it is complete. */
function headOf(bytes: Buffer): Head | "broken" | undefined {
  if (bytes.length < 2) return undefined;
  const opcode = (bytes[0] ?? 0) & 0x0f;
  const second = bytes[1] ?? 0;
  const short = second & 0x7f;
  const control = opcode >= opcodes.close;
  // Clients must mask frames (RFC 6455 §5.1), and control frames have at most 125 bytes (§5.5).
  if ((second & 0x80) === 0 || (control && short > longestControl)) return "broken";
  const size = short < 126 ? 6 : short === 126 ? 8 : longestHead;
  if (bytes.length < size) return undefined;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return { opcode, control, size, length };
}
