/**
 * The flags of orch-scheduler. Most of those in section "Deprecated" are ignored beside a file of `--config`.
 *
 * @module
 */
import {
  delegatedAuthFlags,
  featureGateFlags,
  flagSection,
  leaderElectionFlags,
  logFlags,
  metricFlags,
  serverAddressWanted,
  servingFlags,
} from "@orchernetes/component";
import { deprecatedSection } from "./deprecated.ts";

const misc = flagSection("Misc", {
  config: { type: "string", default: "", help: "Configuration file." },
  "write-config-to": {
    type: "string",
    default: "",
    help: "Writes the effective configuration to this file and exits.",
  },
  master: {
    type: "string",
    default: "",
    validate: serverAddressWanted,
    help: "Address of the API server; overrides the one in --orchconfig and in the configuration file.",
  },
});

/** Every flag of orch-scheduler but `help` and `version`, which every daemon has. */
export const schedulerFlags = {
  ...misc,
  ...servingFlags({ port: 10259, minPort: 0, certDir: "" }),
  ...delegatedAuthFlags(true),
  ...leaderElectionFlags("orch-scheduler"),
  ...featureGateFlags("Feature gate"),
  ...deprecatedSection,
  ...metricFlags,
  ...logFlags,
};
