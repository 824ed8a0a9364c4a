/**
 * @module
 * The layout of the embedded store's data on disk (format 1). Numbers are big-endian doubles: as long as they are not negative, their
 * bytes sort as the numbers do.
 *
 * - `log`: position (revision, index in its commit) → {@link LogRecord}: every version of every key that is not compacted, including
 *   tombstones.
 * - `live`: key → {@link Pointer} to its latest version.
 * - `dead`: key → {@link Pointer} to its tombstone, until the tombstone is compacted.
 * - `ttl`: expiry time and key → the position of the version that expires then, if it is still the latest.
 * - `meta`: format, latest revision, compaction marks.
 */

/** Position of a version in the log. */
export interface Position {
  readonly revision: number;
  /** The index of the operation in its commit. */
  readonly index: number;
}

/** Position of the latest version of a key. */
export interface Pointer extends Position {
  readonly createRevision: number;
}

/** One version of a key in the log. */
export interface LogRecord {
  readonly type: "put" | "delete";
  /** The version of the same key before this one (a tombstone counts); revision 0 if there was none. */
  readonly previous: Position;
  readonly createRevision: number;
  readonly key: string;
  /** Empty for a tombstone. */
  readonly value: Buffer;
}

const PUT = 1;
const DELETE = 2;
/** Bytes before the key: type, previous revision and index, createRevision, length of the key. */
const HEADER = 21;

/** Bytes of a record in the log. */
export function recordSize(keyBytes: number, valueBytes: number): number {
  return HEADER + keyBytes + valueBytes;
}

/** Writes a record to `target`, which has exactly {@link recordSize} bytes. Returns the part that contains the value. */
export function writeRecord(
  target: Buffer,
  record: Omit<LogRecord, "value"> & { readonly value: Uint8Array },
  keyBytes: number,
): Buffer {
  target[0] = record.type === "put" ? PUT : DELETE;
  target.writeDoubleBE(record.previous.revision, 1);
  target.writeUInt16BE(record.previous.index, 9);
  target.writeDoubleBE(record.createRevision, 11);
  target.writeUInt16BE(keyBytes, 19);
  target.write(record.key, HEADER, "utf8");
  target.set(record.value, HEADER + keyBytes);
  return target.subarray(HEADER + keyBytes);
}

/** Reads a record; `value` is a view into `bytes`. */
export function readRecord(bytes: Buffer): LogRecord {
  const keyEnd = HEADER + bytes.readUInt16BE(19);
  return {
    type: bytes[0] === DELETE ? "delete" : "put",
    previous: { revision: bytes.readDoubleBE(1), index: bytes.readUInt16BE(9) },
    createRevision: bytes.readDoubleBE(11),
    key: bytes.toString("utf8", HEADER, keyEnd),
    value: bytes.subarray(keyEnd),
  };
}

/** The log's key of a position. */
export function positionKey(position: Position): Buffer {
  const key = Buffer.allocUnsafe(10);
  key.writeDoubleBE(position.revision, 0);
  key.writeUInt16BE(position.index, 8);
  return key;
}

/** The inverse of {@link positionKey}. */
export function readPosition(key: Buffer): Position {
  return { revision: key.readDoubleBE(0), index: key.readUInt16BE(8) };
}

/** The value of a pointer in `live` and `dead`. */
export function pointerBytes(pointer: Pointer): Buffer {
  const bytes = Buffer.allocUnsafe(18);
  bytes.writeDoubleBE(pointer.revision, 0);
  bytes.writeUInt16BE(pointer.index, 8);
  bytes.writeDoubleBE(pointer.createRevision, 10);
  return bytes;
}

/** The inverse of {@link pointerBytes}. */
export function readPointer(bytes: Buffer): Pointer {
  return { revision: bytes.readDoubleBE(0), index: bytes.readUInt16BE(8), createRevision: bytes.readDoubleBE(10) };
}

/** The key of `ttl`: expiry time in milliseconds since the epoch, then the key's bytes. */
export function expiryKey(expiresAtMs: number, key: string): Buffer {
  const bytes = Buffer.allocUnsafe(8 + Buffer.byteLength(key));
  bytes.writeDoubleBE(expiresAtMs, 0);
  bytes.write(key, 8, "utf8");
  return bytes;
}

/** The inverse of {@link expiryKey}. */
export function readExpiryKey(bytes: Buffer): { readonly expiresAtMs: number; readonly key: string } {
  return { expiresAtMs: bytes.readDoubleBE(0), key: bytes.toString("utf8", 8) };
}
