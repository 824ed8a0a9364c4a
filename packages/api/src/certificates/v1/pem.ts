/** One block of a PEM text. */
export interface PemBlock {
  readonly label: string;
  readonly bytes: Uint8Array;
}

const begin = "-----BEGIN ";
const dashes = "-----";
const base64 = /^[A-Za-z0-9+/=\s]*$/;

/** The blocks of a PEM text, in order; what lies between them and blocks without an end or with bad base64 are left out. */
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
