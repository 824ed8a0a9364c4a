/** Returns a value of a document as errors quote it: in JSON, cut at 80 characters. */
export function quoteValue(value: unknown): string {
  const text = jsonOf(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A YAML document whose alias refers to an enclosing node contains itself, which JSON cannot express.
    return "(contains itself)";
  }
}
