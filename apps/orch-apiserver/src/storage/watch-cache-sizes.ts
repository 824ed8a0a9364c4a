/** What `--watch-cache-sizes` says. */
export interface WatchCacheSizes {
  /** `group/resource` of those without a cache. */
  readonly off: ReadonlySet<string>;
  /** As given: sizes that mean nothing, because caches grow as needed. */
  readonly idle: readonly string[];
}

/** Reads `resource[.group]#size` texts. `error` is called for each that cannot be used. */
export function parseWatchCacheSizes(texts: readonly string[], error: (text: string) => void): WatchCacheSizes {
  const off = new Set<string>();
  const idle: string[] = [];
  const seen = new Set<string>();
  for (const text of texts) {
    const [, resource = "", group = "", size = ""] = /^([^.#/]+)(?:\.([^#/]+))?#(-?\d+)$/.exec(text) ?? [];
    const id = `${group}/${resource}`;
    if (size === "")
      error(
        `found ${JSON.stringify(text)}; a size is resource.group#size with a whole number, such as "events#0" or ` +
          '"leases.coordination.o8s.io#0"',
      );
    else if (size.startsWith("-")) error(`found ${JSON.stringify(text)}; a size cannot be negative`);
    else if (seen.has(id)) error(`${JSON.stringify(text.slice(0, text.indexOf("#")))} is given twice`);
    else if (Number(size) === 0) off.add(id);
    else idle.push(text);
    seen.add(id);
  }
  return { off, idle };
}
