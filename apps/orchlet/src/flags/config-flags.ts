import { type Flag, type FlagSection, flagSection } from "@orchernetes/component";

/** Flags that stand for fields of the configuration file: a section whose rows say which field to set instead. */
export function configFlags<const T extends Readonly<Record<string, Flag & { readonly field: string }>>>(
  group: string,
  flags: T,
): FlagSection<T> {
  const entries = Object.entries(flags).map(([name, flag]) => [
    name,
    { ...flag, deprecated: `set ${flag.field} in the file of --config instead` },
  ]);
  return flagSection(group, Object.fromEntries(entries)) as FlagSection<T>;
}
