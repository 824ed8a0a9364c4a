import type { FeatureTable } from "./feature-gates.ts";

/**
 * A warning for each gate that is set to a non-default value and has no effect in the daemon.
 *
 * @param named the gates set by `--feature-gates`
 * @param switched names of the gates that have an effect in the daemon
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
