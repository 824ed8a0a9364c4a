/** Content of a resolver file. */
export interface ResolverFile {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** Parses a resolv.conf. If there are several `search` lines, the last one applies (resolv.conf(5)). */
export function parseResolverFile(text: string): ResolverFile {
  const servers: string[] = [];
  const options: string[] = [];
  let searches: readonly string[] = [];
  for (const line of text.split("\n")) {
    const [keyword, ...fields] = line
      .replace(/[#;].*$/, "")
      .trim()
      .split(/\s+/);
    if (keyword === "nameserver" && fields[0] !== undefined) servers.push(fields[0]);
    if (keyword === "search") searches = fields.map((field) => (field === "." ? field : field.replace(/\.$/, "")));
    if (keyword === "options") options.push(...fields);
  }
  return { servers, searches, options };
}
