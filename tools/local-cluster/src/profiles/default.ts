import { publishClusterInfo } from "../cluster-info.ts";
import type { Profile } from "../profile.ts";
import { signerFlags } from "../signer-flags.ts";

const OPERATOR = "admin";

/** The cluster as it is without `--profile`: every connection is authenticated, and nothing stands in the way of trying things. */
export const defaultProfile: Profile = {
  name: "default",
  store: "embedded",
  pki: { adminOrganizations: ["system:masters"], clients: [], servesNodes: true },
  operator: OPERATOR,
  prepare: () => undefined,
  flags(daemon, files) {
    switch (daemon) {
      case "orch-apiserver":
        return { "enable-bootstrap-token-auth": true };
      case "orch-controller-manager":
        // Two controllers that are off by default let nodes join with a bootstrap token.
        return { controllers: "*,bootstrapsigner,tokencleaner", ...signerFlags(files) };
      default:
        return {};
    }
  },
  agentFields: () => ({}),
  agentCertDir: (files) => files.pki,
  notes: () => [],
  setUpTitle: "information about the cluster for everybody",
  setUp: ({ files, state }) => publishClusterInfo(files, state.port, OPERATOR),
  finishNode: async () => undefined,
  maintain: async () => undefined,
};
