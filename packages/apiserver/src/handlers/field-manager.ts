import { maxFieldManagerBytes } from "@orchernetes/apimachinery";

/**
 * The field manager of a client that names none (upstream: `managerOrUserAgent`): its user agent up to the first slash,
 * printable characters only, cut to the length that a manager's name may have.
 */
export function managerOfUserAgent(userAgent: string | undefined): string {
  const slash = userAgent?.indexOf("/") ?? -1;
  const program = slash < 0 ? (userAgent ?? "") : (userAgent ?? "").slice(0, slash);
  if (plain.test(program)) return program;
  let name = "";
  let bytes = 0;
  for (const char of program) {
    if (unprintable.test(char)) continue;
    bytes += Buffer.byteLength(char);
    if (bytes > maxFieldManagerBytes) break;
    name += char;
  }
  return name;
}

/** Nearly every user agent; the loop below is for the others. */
const plain = /^[ -~]{0,128}$/;
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
