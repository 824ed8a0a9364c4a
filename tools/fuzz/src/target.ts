import type { Random } from "./random.ts";

/**
 * One input, as plain JSON so that a file can hold it. Bytes are text with one character (U+0000 to U+00FF) per byte.
 * Lists are what shrinking may shorten.
 */
export type FuzzCase = Readonly<Record<string, string | readonly string[]>>;

/** Code under test: generates inputs for it, and judges its results. */
export interface Target<C extends FuzzCase = FuzzCase> {
  readonly name: string;
  /** Generates an input; the same choices give the same input. */
  readonly generate: (random: Random) => C;
  /**
   * Runs the code with an input. Returns what is wrong, in a sentence; undefined when all is well. If it throws, that
   * is a finding, too.
   */
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

/** The bytes of such a text. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

/** The text, with one character per byte, of bytes or of the UTF-8 of a text. */
export function rawText(content: Uint8Array | string): string {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
