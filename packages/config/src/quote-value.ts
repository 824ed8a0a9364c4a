/** The value of a document as errors quote it: in JSON, the beginning of a long one. A document with aliases may contain itself. */
export function quoteValue(value: unknown): string {
  const text = jsonOf(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "(contains itself)";
  }
}
