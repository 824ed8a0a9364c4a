/**
 * The document without the fields that are `null`: they have their defaults, as in the original. Tools write such fields for
 * everything that nobody set. Arguments of a user's plugin stay as they are, because only its own schema knows what `null`
 * means there.
 */
export function withoutNulls(document: unknown): unknown {
  if (Array.isArray(document)) return document.map(withoutNulls);
  if (typeof document !== "object" || document === null) return document;
  const fields = Object.entries(document).filter(([, value]) => value !== null);
  const isUserPlugin = fields.some(([name]) => name === "module");
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isUserPlugin && name === "args" ? value : withoutNulls(value)]),
  );
}
