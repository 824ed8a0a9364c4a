/**
 * The flags of orchlet. Most stand for a field of its configuration file ({@link flagFields}) and override it; the file is the
 * better place for them.
 *
 * @module
 */
import { featureGateFlags, logFlags, metricFlags } from "@orchernetes/component";
import { apiClientSection } from "./api-client.ts";
import { nodeSection } from "./node.ts";
import { podSourceSection } from "./pod-sources.ts";
import { deprecatedSection, logFormatSection, processSection } from "./process.ts";
import { resourceSection } from "./resources.ts";
import { runtimeSection } from "./runtime.ts";
import { servingSection } from "./serving.ts";

export { flagConfiguration } from "./flag-configuration.ts";
export { flagFields } from "./flag-fields.ts";

/** Every flag of orchlet but `help` and `version`, which every daemon has. */
export const orchletFlags = {
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
  ...logFormatSection,
  ...logFlags,
};
