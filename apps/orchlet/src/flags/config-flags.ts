import { type Flag, type FlagSection, flagSection } from "@orchernetes/component";
import { flagFields } from "./flag-fields.ts";

/** Flags that stand for fields of the configuration file: a section whose rows say which field to set instead. */
export function configFlags<const T extends Readonly<Record<string, Flag>>>(group: string, flags: T): FlagSection<T> {
  const entries = Object.entries<Flag>(flags).map(([name, flag]) => [
    name,
    { ...flag, deprecated: `set ${flagFields[name]} in the file of --config instead` },
  ]);
  return flagSection(group, Object.fromEntries(entries)) as FlagSection<T>;
}
