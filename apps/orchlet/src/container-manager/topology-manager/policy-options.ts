/** How mature an option is; each level has a feature gate. */
export type OptionLevel = "Alpha" | "Beta";

/**
 * Errors in the options of a policy: unknown ones, those whose feature gate is disabled, and values other than `true` and `false`.
 * Each begins with `field`.
 */
export function optionErrors({
  given,
  options,
  gates,
  enabled,
  manager,
  field,
}: {
  readonly given: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, OptionLevel>>;
  /** The gate of all options, and those of the levels. */
  readonly gates: Readonly<Record<OptionLevel | "all", string>>;
  readonly enabled: (gate: string) => boolean;
  /** Name of the manager in messages. */
  readonly manager: string;
  readonly field: string;
}): readonly string[] {
  const names = Object.keys(given);
  if (names.length === 0) return [];
  if (!enabled(gates.all)) return [`field ${field}: want it unset, or feature gate ${gates.all} on`];
  return names.flatMap((name) => {
    const level = Object.hasOwn(options, name) ? options[name] : undefined;
    if (level === undefined)
      return [
        `field ${field}: unknown ${manager} Policy option: ${JSON.stringify(name)}; want ${Object.keys(options).join(", ")}`,
      ];
    if (!enabled(gates[level]))
      return [
        `field ${field}: ${manager} Policy ${level}-level Options not enabled, but option ${JSON.stringify(name)} provided; want feature gate ${gates[level]} on`,
      ];
    const value = given[name];
    if (value !== "true" && value !== "false")
      return [`field ${field}.${name}: bad value for option: found ${JSON.stringify(value)}; want true or false`];
    return [];
  });
}
