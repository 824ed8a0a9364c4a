/** The verbosity of the log: everywhere, and in single files. */
export interface Verbosity {
  readonly level: number;
  /** From `--vmodule`: the first pattern that matches the file decides. */
  readonly modules: readonly { readonly pattern: RegExp; readonly level: number }[];
}

/**
 * Reads `--v` and `--vmodule`. A pattern is compared with the file name without its ending; `*` and `?` are wildcards.
 * Items that are not `pattern=N` are ignored (the flag table rejects them).
 */
export function parseVerbosity(level: number, vmodule: readonly string[]): Verbosity {
  const modules = vmodule.flatMap((item) => {
    const [, pattern, digits] = /^([^=]+)=(\d+)$/.exec(item) ?? [];
    if (pattern === undefined || digits === undefined) return [];
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    return [{ pattern: new RegExp(`^${source}$`), level: Number(digits) }];
  });
  return { level, modules };
}

/** The verbosity that applies to `file.ts:12`. */
export function verbosityAt(verbosity: Verbosity, caller: string): number {
  const file = caller.replace(/(\.[cm]?[jt]s)?:\d+$/, "");
  return verbosity.modules.find(({ pattern }) => pattern.test(file))?.level ?? verbosity.level;
}
