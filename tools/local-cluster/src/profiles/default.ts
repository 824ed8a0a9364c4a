import { publishClusterInfo } from "../cluster-info.ts";
import type { Profile } from "../profile.ts";
import { signerFlags } from "../signer-flags.ts";

const OPERATOR = "admin";

/** The cluster without `--profile`: every connection is authenticated, and what users try is not restricted. */
export const defaultProfile: Profile = {
  name: "default",
  store: "embedded",
  pki: { adminOrganizations: ["system:masters"], clients: [], servesNodes: true, joinsNodes: true },
  operator: OPERATOR,
  prepare: () => undefined,
  flags(daemon, files) {
    switch (daemon) {
      case "orch-apiserver":
        return { "enable-bootstrap-token-auth": true };
      case "orch-controller-manager":
        // Nodes can join with a bootstrap token, for which two controllers are needed that are off by default.
        return { controllers: "*,bootstrapsigner,tokencleaner", ...signerFlags(files) };
      default:
        return {};
    }
  },
  agentFields: () => ({ rotateCertificates: true }),
  notes: () => [],
  setUpTitle: "cluster-info published in orch-public",
  setUp: ({ files, state }) => publishClusterInfo(files, state.port, OPERATOR),
  finishNode: async () => undefined,
  maintain: async () => undefined,
};
