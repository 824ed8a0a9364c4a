import type { ControllerDescriptor } from "./shared/define-controller.ts";

export interface Selection {
  /** In the order given. */
  readonly enabled: readonly ControllerDescriptor[];
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Controllers that the entries of `--controllers` switch on: `foo` and `-foo` decide about one, `*` about all that are on by
 * default. The first entry that decides wins; a controller that none mentions is off.
 *
 * @param absent names that are known but not built in: no fault, a warning when switched on by name
 */
export function selectControllers(
  entries: readonly string[],
  all: readonly ControllerDescriptor[],
  absent: readonly string[],
): Selection {
  const known = new Set([...all.map(({ name }) => name), ...absent]);
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const entry of entries) {
    if (entry === "*") continue;
    const name = entry.startsWith("-") ? entry.slice(1) : entry;
    if (!known.has(name)) {
      const names = [...known].sort().join(", ");
      faults.push(
        `invalid value ${JSON.stringify(entry)} for flag --controllers: want "*", or one of these with or without "-" in front: ${names}`,
      );
    } else if (absent.includes(entry)) {
      warnings.push(`flag --controllers: controller ${JSON.stringify(entry)} does not exist yet`);
    }
  }
  const isEnabled = ({ name, enabledByDefault }: ControllerDescriptor): boolean => {
    for (const entry of entries) {
      if (entry === name) return true;
      if (entry === `-${name}`) return false;
    }
    return entries.includes("*") && enabledByDefault;
  };
  return { enabled: all.filter(isEnabled), faults, warnings };
}
