import { StoreError } from "../errors.ts";
import type { Compare, Op } from "../store.ts";

/**
 * lmdb's limit for a key with pages of 4 KiB is 1,978 bytes; the rest is reserved for the bytes that its encoding
 * adds.
 */
const MAX_KEY_BYTES = 1900;
/** The index of an operation in its commit is stored in 16 bits. */
const MAX_OPS = 65_535;

/**
 * Rejects a commit that could not be stored, before any of its writes is queued.
 *
 * @param maxRequestBytes limit for the values of all operations together
 * @throws StoreError `TooLarge`
 * @throws TypeError for an error of the caller: an empty key, a key with a NUL character, or one that is written twice
 */
export function checkCommit(compare: readonly Compare[], ops: readonly Op[], maxRequestBytes: number): void {
  if (ops.length > MAX_OPS) {
    throw new StoreError("TooLarge", `a commit may have at most ${MAX_OPS} operations, not ${ops.length}`);
  }
  let bytes = 0;
  for (const op of ops) {
    checkKey(op.key);
    if (op.type === "put") bytes += op.value.length;
  }
  for (const { key } of compare) checkKey(key);
  if (bytes > maxRequestBytes) {
    throw new StoreError("TooLarge", `a commit may hold at most ${maxRequestBytes} bytes, not ${bytes}`);
  }
  if (ops.length > 1 && new Set(ops.map(({ key }) => key)).size < ops.length) {
    throw new TypeError("a commit may write each key only once");
  }
}

/**
 * Whether a key of this length can be stored. Reading a longer one finds nothing, which is not an error. A UTF-16
 * code unit has at most three bytes in UTF-8, so short keys need not be measured.
 */
export function fitsKey(key: string): boolean {
  return key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) <= MAX_KEY_BYTES;
}

function checkKey(key: string): void {
  if (key === "" || key.includes("\0")) throw new TypeError(`${JSON.stringify(key)} is not a key`);
  if (fitsKey(key)) return;
  throw new StoreError("TooLarge", `a key may have at most ${MAX_KEY_BYTES} bytes, not ${Buffer.byteLength(key)}`);
}
