/** The maturity of a feature. */
export type FeatureStage = "Alpha" | "Beta" | "GA" | "Deprecated";

/** A feature that a gate enables or disables. */
export interface Feature {
  readonly stage: FeatureStage;
  readonly default: boolean;
  /** Set if the gate cannot have another value than its default. */
  readonly locked?: true;
}

/** Features by name. */
export type FeatureTable = Readonly<Record<string, Feature>>;

/** The state of the feature gates. */
export interface FeatureGates<N extends string = string> {
  enabled(name: N): boolean;
  /** Every feature with its state, for the metric and the debug page. */
  all(): ReadonlyMap<string, boolean>;
}

/** Result of parsing `--feature-gates`: the gates, or one message for each error. */
export type FeatureResult<N extends string> =
  | { readonly gates: FeatureGates<N>; readonly warnings: readonly string[] }
  | { readonly errors: readonly string[] };

/**
 * Applies `--feature-gates` to a table. `AllAlpha` and `AllBeta` set every feature of their stage that is neither locked nor named itself.
 * A named feature that is generally available or deprecated causes a warning.
 */
export function parseFeatureGates<T extends FeatureTable>(
  table: T,
  overrides: ReadonlyMap<string, boolean>,
): FeatureResult<keyof T & string> {
  const errors: string[] = [];
  const warnings: string[] = [];
  const states = new Map<string, boolean>();
  const stages: Readonly<Record<string, FeatureStage>> = { AllAlpha: "Alpha", AllBeta: "Beta" };
  for (const [name, feature] of Object.entries<Feature>(table)) {
    const group = Object.keys(stages).find((key) => stages[key] === feature.stage);
    const byStage = group === undefined ? undefined : overrides.get(group);
    states.set(name, feature.locked ? feature.default : (byStage ?? feature.default));
  }
  for (const [name, value] of overrides) {
    if (Object.hasOwn(stages, name)) continue;
    const feature = Object.hasOwn(table, name) ? table[name] : undefined;
    if (feature === undefined) errors.push(`unrecognized feature gate: ${name}`);
    else if (feature.locked && value !== feature.default) {
      errors.push(`cannot set feature gate ${name} to ${value}, feature is locked to ${feature.default}`);
    } else {
      if (feature.stage === "GA")
        warnings.push(`Setting GA feature gate ${name}=${value}. It will be removed in a future release.`);
      if (feature.stage === "Deprecated")
        warnings.push(`Setting deprecated feature gate ${name}=${value}. It will be removed in a future release.`);
      states.set(name, value);
    }
  }
  if (errors.length > 0) return { errors };
  return { warnings, gates: { enabled: (name) => states.get(name) === true, all: () => states } };
}
