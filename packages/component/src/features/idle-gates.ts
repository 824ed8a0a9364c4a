import type { FeatureTable } from "./feature-gates.ts";

/**
 * A line for each gate that is named with another value than its default and switches nothing in the daemon.
 *
 * @param named what `--feature-gates` says
 * @param switched names of the gates that the daemon asks for
 */
export function idleGateWarnings(options: {
  readonly daemon: string;
  readonly features: FeatureTable;
  readonly named: ReadonlyMap<string, boolean>;
  readonly switched: readonly string[];
}): readonly string[] {
  const { daemon, features, named, switched } = options;
  return [...named].flatMap(([name, value]) =>
    switched.includes(name) || features[name] === undefined || features[name].default === value
      ? []
      : [`feature gate ${name}=${value} has no effect: it switches nothing in ${daemon}`],
  );
}
