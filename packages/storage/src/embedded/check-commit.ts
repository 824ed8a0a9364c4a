import { StoreError } from "../errors.ts";
import type { Compare, Op } from "../store.ts";

/** What lmdb takes for a key with 4 KiB pages, with room for the bytes that lead and end it. */
const MAX_KEY_BYTES = 1900;
const MAX_OPS = 65_535;

/**
 * Refuses a commit that could not be stored, before anything of it is queued.
 *
 * @throws StoreError `TooLarge`.
 * @throws TypeError for a caller's mistake: an empty key, or one written twice.
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

/** Whether there can be a key this long; what asks for longer ones asks for what is not there. */
export function fitsKey(key: string): boolean {
  return key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) <= MAX_KEY_BYTES;
}

function checkKey(key: string): void {
  if (key === "" || key.includes("\0")) throw new TypeError(`${JSON.stringify(key)} is not a key`);
  if (fitsKey(key)) return;
  throw new StoreError("TooLarge", `a key may have at most ${MAX_KEY_BYTES} bytes, not ${Buffer.byteLength(key)}`);
}
