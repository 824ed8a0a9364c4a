import { publishClusterInfo } from "../cluster-info.ts";
import type { Layout } from "../layout.ts";
import type { ExtraFlags, Profile } from "../profile.ts";

const OPERATOR = "admin";

/** Whom each authority signs certificates for: clients of the API server are signed by another one than what nodes serve. */
const AUTHORITIES = { "orch-apiserver-client": "ca", "orchlet-client": "ca", "orchlet-serving": "orchlet-ca" } as const;

function signerFlags(files: Layout): ExtraFlags {
  const pairs = Object.entries(AUTHORITIES).map(([signer, authority]): ExtraFlags => {
    const { certFile, keyFile } = files.certificate(authority);
    return { [`cluster-signing-${signer}-cert-file`]: certFile, [`cluster-signing-${signer}-key-file`]: keyFile };
  });
  return Object.assign({}, ...pairs);
}

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
