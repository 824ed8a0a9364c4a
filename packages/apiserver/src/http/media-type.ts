/** One clause of an Accept header, or a Content-Type. */
export interface MediaType {
  /** `application/json`, lower case, without parameters. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Weight from 0 to 1 (`q`, RFC 9110 §12.4.2). @default 1 */
  readonly quality: number;
}

function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** Parses one media type; undefined when it is not `type/subtype`. */
export function parseMediaType(text: string): MediaType | undefined {
  const [first = "", ...rest] = text.split(";");
  const type = first.trim().toLowerCase();
  if (!type.includes("/")) return undefined;
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  let quality = 1;
  for (const part of rest) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    const key = part.slice(0, at).trim().toLowerCase();
    const value = unquote(part.slice(at + 1).trim());
    if (key === "q") {
      const parsed = Number(value);
      quality = parsed >= 0 && parsed <= 1 ? parsed : 0;
    } else {
      parameters[key] = value;
    }
  }
  return { type, parameters, quality };
}

/** How many parts of a type are a wildcard: 0 to 2. */
const wildness = ({ type }: MediaType): number => (type.startsWith("*") ? 2 : type.endsWith("/*") ? 1 : 0);

/** The clauses of an Accept header, best first. Of equal weights wildcards come last; otherwise they keep their order. */
export function parseAccept(header: string): readonly MediaType[] {
  return header
    .split(",")
    .map(parseMediaType)
    .filter((clause): clause is MediaType => clause !== undefined && clause.quality > 0)
    .sort((a, b) => b.quality - a.quality || wildness(a) - wildness(b));
}
