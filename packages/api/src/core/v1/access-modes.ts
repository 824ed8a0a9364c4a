const short: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Access modes in the form of tables, such as `RWO,ROX`: each once, in a fixed order. */
export function formatAccessModes(modes: readonly string[] | undefined): string {
  return Object.keys(short)
    .filter((mode) => modes?.includes(mode))
    .map((mode) => short[mode])
    .join(",");
}
