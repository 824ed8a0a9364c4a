const short: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Access modes as tables show them: `RWO,ROX`, each once, in the order of their power. */
export function formatAccessModes(modes: readonly string[] | undefined): string {
  return Object.keys(short)
    .filter((mode) => modes?.includes(mode))
    .map((mode) => short[mode])
    .join(",");
}
