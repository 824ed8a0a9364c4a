const maxWarningBytes = 4096;
const maxTotalBytes = 16 * 1024;
/** Length of a Warning header without its text. */
const maxTexts = 2000;

/** Control characters and what header values cannot carry become "?", quotes and backslashes are escaped. */
function quotedText(text: string): string {
  let plain = "";
  // Warnings may quote megabytes of input.
  for (const char of text.slice(0, maxWarningBytes)) {
    const code = char.charCodeAt(0);
    if (char === '"' || char === "\\") plain += `\\${char}`;
    else if (code < 0x20 || code === 0x7f) plain += " ";
    else plain += code > 0x7e ? "?" : char;
  }
  return plain.slice(0, maxWarningBytes);
}

/** Values of `Warning` headers (RFC 7234, code 299), each text once, bounded in total. */
export function warningHeaders(texts: readonly string[]): string[] {
  const headers: string[] = [];
  let total = 0;
  for (const text of new Set(texts.slice(0, maxTexts))) {
    const header = `299 - "${quotedText(text)}"`;
    total += header.length;
    if (total > maxTotalBytes) break;
    headers.push(header);
  }
  return headers;
}
