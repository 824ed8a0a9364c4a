import { type PemBlock, pemBlocks } from "../v1/pem.ts";

/** A PEM block, and whether it has headers, which trust anchors must not have. */
export interface PemEntry extends PemBlock {
  readonly headers: boolean;
}

const header = /(-----BEGIN [^-\n]*-----\r?\n)((?:[\w-]+: .*\r?\n)+\r?\n?)/g;

/** The blocks of a PEM text with those that have headers. */
export function pemEntries(text: string): readonly PemEntry[] {
  const marked = new Set<number>();
  const begins = new Map([...text.matchAll(/-----BEGIN /g)].map(({ index }, i) => [index, i]));
  const plain = text.replaceAll(header, (_, begin: string, _headers: string, at: number) => {
    marked.add(begins.get(at) ?? -1);
    return begin;
  });
  return pemBlocks(plain).map((block, i) => ({ ...block, headers: marked.has(i) }));
}
