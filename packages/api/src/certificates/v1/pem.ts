/** One block of a PEM text. */
export interface PemBlock {
  readonly label: string;
  readonly bytes: Uint8Array;
}

const begin = "-----BEGIN ";
const dashes = "-----";
const base64 = /^[A-Za-z0-9+/=\s]*$/;

/**
 * The blocks of a PEM text (RFC 7468), in order. Text between them, and blocks without an end or with invalid base64
 * are ignored.
 */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let start = text.indexOf(begin); start >= 0; ) {
    const labelEnd = text.indexOf(dashes, start + begin.length);
    const label = labelEnd < 0 ? "" : text.slice(start + begin.length, labelEnd);
    const end = labelEnd < 0 ? -1 : text.indexOf(`-----END ${label}-----`, labelEnd);
    if (end < 0) {
      break;
    }
    const body = text.slice(labelEnd + dashes.length, end);
    if (base64.test(body)) {
      blocks.push({ label, bytes: Buffer.from(body, "base64") });
    }
    start = text.indexOf(begin, end);
  }
  return blocks;
}

/** A PEM block, and whether it has headers, which trust anchors must not have. */
interface PemEntry extends PemBlock {
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
