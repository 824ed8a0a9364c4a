import type { Random } from "./random.ts";

/**
 * One input, as plain JSON so that it can be kept in a file. Bytes are text with one character (U+0000 to U+00FF) per byte. Lists
 * are what minimizing may shorten.
 */
export type FuzzCase = Readonly<Record<string, string | readonly string[]>>;

/** A way into the code: makes inputs, and judges what becomes of them. */
export interface Target<C extends FuzzCase = FuzzCase> {
  readonly name: string;
  /** The same choices give the same input. */
  readonly generate: (random: Random) => C;
  /** What is wrong, in a sentence; undefined when all is well. Throwing is a finding, too. */
  readonly check: (input: C) => string | undefined | Promise<string | undefined>;
}

/** A target whose `check` does not wait for anything. */
export interface PureTarget<C extends FuzzCase = FuzzCase> extends Target<C> {
  readonly check: (input: C) => string | undefined;
}

/** Forgets the type of a target's cases, so that targets can stand in one list. */
export function eraseTarget<C extends FuzzCase>(target: PureTarget<C>): PureTarget;
export function eraseTarget<C extends FuzzCase>(target: Target<C>): Target;
export function eraseTarget(target: unknown): unknown {
  return target;
}

/** Bytes of such text. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

/** Such text of bytes, or of the UTF-8 of some text. */
export function rawText(content: Uint8Array | string): string {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
