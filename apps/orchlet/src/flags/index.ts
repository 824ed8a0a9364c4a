/**
 * The flags of orchlet. Most stand for a field of its configuration file and override it; the file is the better place for them.
 *
 * @module
 */
import {
  type Flag,
  type FlagTable,
  type FlagValues,
  featureGateFlags,
  logFlagsWith,
  metricFlags,
} from "@orchernetes/component";
import { apiClientSection } from "./api-client.ts";
import { nodeSection } from "./node.ts";
import { podSourceSection } from "./pod-sources.ts";
import { deprecatedSection, jsonLogSection, processSection } from "./process.ts";
import { resourceSection } from "./resources.ts";
import { runtimeSection } from "./runtime.ts";
import { servingSection } from "./serving.ts";
import { vmoduleToField } from "./to-field.ts";

/** Flags that every daemon has, with the fields of this daemon's document that some of them set. */
function withFields<T extends FlagTable>(
  table: T,
  fields: { readonly [K in keyof T]?: Pick<Flag, "field" | "toField"> },
): T {
  return Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, { ...flag, ...fields[name] }])) as T;
}

const sharedSections = {
  ...withFields(featureGateFlags("Feature gates"), { "feature-gates": { field: "featureGates" } }),
  ...withFields(metricFlags, { "show-hidden-metrics-for-version": { field: "showHiddenMetricsForVersion" } }),
  ...jsonLogSection,
  ...withFields(logFlagsWith(["text", "json"]), {
    "logging-format": { field: "logging.format" },
    "log-flush-frequency": { field: "logging.flushFrequency" },
    v: { field: "logging.verbosity" },
    vmodule: { field: "logging.vmodule", toField: vmoduleToField },
  }),
};

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
  ...sharedSections,
};

/** Flags whose default differs from that of their field. Without a configuration file, the default of the flag applies. */
export const ownDefaults: ReadonlySet<string> = new Set([
  "anonymous-auth",
  "authentication-token-webhook",
  "authorization-mode",
  "read-only-port",
]);

/** The parsed flags. */
export type Flags = FlagValues<typeof orchletFlags>;
