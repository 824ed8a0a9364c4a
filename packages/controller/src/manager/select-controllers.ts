/** What a selection is about. */
interface Selectable {
  readonly name: string;
  readonly enabledByDefault: boolean;
}

/** The selected controllers. */
export interface Selection<C> {
  /** In the order given. */
  readonly enabled: readonly C[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Selects controllers by a list of entries such as that of `--controllers`: `foo` enables and `-foo` disables a
 * controller, `*` enables all that are enabled by default. The first matching entry applies; a controller without one
 * is disabled.
 *
 * @param absent controllers that are known but not built in: no error, a warning when switched on by name
 * @param origin what gave the entries, for errors: a flag, or a place in a file
 */
export function selectControllers<C extends Selectable>(
  entries: readonly string[],
  all: readonly C[],
  absent: readonly { readonly name: string }[],
  origin = "--controllers",
): Selection<C> {
  const absentNames = absent.map(({ name }) => name);
  const known = new Set([...all.map(({ name }) => name), ...absentNames]);
  const place = origin.startsWith("--config:") ? origin : `flag ${origin}`;
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const entry of entries) {
    if (entry === "*") continue;
    const name = entry.startsWith("-") ? entry.slice(1) : entry;
    if (!known.has(name)) {
      const names = [...known].sort().join(", ");
      const want = `want "*", or one of these with or without "-" in front: ${names}`;
      const value = `invalid value ${JSON.stringify(entry)}`;
      errors.push(origin.startsWith("--config:") ? `${origin}: ${value}; ${want}` : `${value} for ${place}: ${want}`);
    } else if (absentNames.includes(entry)) {
      warnings.push(`${place}: controller ${JSON.stringify(entry)} does not exist yet`);
    }
  }
  const isEnabled = ({ name, enabledByDefault }: C): boolean => {
    for (const entry of entries) {
      if (entry === name) return true;
      if (entry === `-${name}`) return false;
    }
    return entries.includes("*") && enabledByDefault;
  };
  return { enabled: all.filter(isEnabled), errors, warnings };
}
