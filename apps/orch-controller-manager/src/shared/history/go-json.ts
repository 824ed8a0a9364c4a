const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
  "\b": "\\u0008",
  "\f": "\\u000c",
};

/**
 * Sorts the members of a JSON value by the bytes of their names, which is the order in which Go encodes a map.
 * Undefined members are omitted; null is kept.
 */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== "object" || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const sorted: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort(byBytes)) {
    const member = members[name];
    // A plain assignment would set the prototype instead.
    if (member !== undefined) {
      Object.defineProperty(sorted, name, {
        value: sortMembers(member),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return sorted;
}

/** Encodes a value in the same way as Go's encoding/json (1.20) encodes a map: sorted, and escaped for HTML. */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join()}]`;
  if (typeof value === "string") return goString(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = value as Readonly<Record<string, unknown>>;
  const parts: string[] = [];
  for (const name of Object.keys(members).sort(byBytes)) {
    const member = members[name];
    if (member !== undefined) parts.push(`${goString(name)}:${goJson(member)}`);
  }
  return `{${parts.join()}}`;
}

function goString(text: string): string {
  // Go has short escapes for \n, \r and \t only.
  return JSON.stringify(text)
    .replace(/\\[bf]/g, (short, at: number, all: string) =>
      isEscaped(all, at) ? short : (escapes[short === "\\b" ? "\b" : "\f"] ?? short),
    )
    .replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);
}

/** Whether the backslash at this place is itself escaped. */
function isEscaped(text: string, at: number): boolean {
  let before = 0;
  while (text[at - 1 - before] === "\\") before += 1;
  return before % 2 === 1;
}

/** Compares by UTF-8 bytes, which is the order of code points and not of UTF-16 code units. */
function byBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
