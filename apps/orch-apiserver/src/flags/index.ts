/**
 * The flags of orch-apiserver: what each is called, its type, default and meaning. Flags marked `effect: "none"` are accepted
 * and checked, and warn when set.
 *
 * @module
 */
import { type FlagValues, logFlags, metricFlags } from "@orchernetes/component";
import { admissionSection } from "./admission.ts";
import { aggregationSection } from "./aggregation.ts";
import { auditSection } from "./audit.ts";
import { authenticationSection } from "./authentication.ts";
import { authorizationSection } from "./authorization.ts";
import { clusterSection } from "./cluster.ts";
import { limitsSection } from "./limits.ts";
import { servingSection } from "./serving.ts";
import { storageSection } from "./storage.ts";

/** Every flag of orch-apiserver but `help` and `version`, which every daemon has. */
export const apiserverFlags = {
  ...servingSection,
  ...limitsSection,
  ...authenticationSection,
  ...authorizationSection,
  ...admissionSection,
  ...auditSection,
  ...storageSection,
  ...clusterSection,
  ...aggregationSection,
  ...metricFlags,
  ...logFlags,
};

/** The parsed flags. */
export type Flags = FlagValues<typeof apiserverFlags>;
