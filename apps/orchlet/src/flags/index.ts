/**
 * The flags of orchlet. Most stand for a field of its configuration file ({@link flagFields}) and override it; the file is the
 * better place for them.
 *
 * @module
 */
import { type FlagTable, type FlagValues, featureGateFlags, logFlagsWith, metricFlags } from "@orchernetes/component";
import { apiClientSection } from "./api-client.ts";
import { isWithoutEffect } from "./fields-without-effect.ts";
import { flagFields } from "./flag-fields.ts";
import { nodeSection } from "./node.ts";
import { podSourceSection } from "./pod-sources.ts";
import { deprecatedSection, jsonLogSection, processSection } from "./process.ts";
import { resourceSection } from "./resources.ts";
import { runtimeSection } from "./runtime.ts";
import { servingSection } from "./serving.ts";

export { flagConfiguration } from "./flag-configuration.ts";
export { flagFields } from "./flag-fields.ts";

/** A flag that sets a configuration field has an effect if and only if the field has one. */
function withEffectsOfFields<T extends FlagTable>(table: T): T {
  const entries = Object.entries(table).map(([name, flag]) => {
    const field = flagFields[name];
    return [name, field !== undefined && isWithoutEffect(field) ? { ...flag, effect: "none" } : flag];
  });
  return Object.fromEntries(entries) as T;
}

/** Every flag of orchlet but `help` and `version`, which every daemon has. */
export const orchletFlags = withEffectsOfFields({
  ...processSection,
  ...servingSection,
  ...podSourceSection,
  ...apiClientSection,
  ...nodeSection,
  ...runtimeSection,
  ...resourceSection,
  ...deprecatedSection,
  ...featureGateFlags("Feature gates"),
  ...metricFlags,
  ...jsonLogSection,
  ...logFlagsWith(["text", "json"]),
});

/** The parsed flags. */
export type Flags = FlagValues<typeof orchletFlags>;
