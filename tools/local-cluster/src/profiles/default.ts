import type { Profile } from "../profile.ts";

/** The cluster as it is without `--profile`: every connection is authenticated, and nothing stands in the way of trying things. */
export const defaultProfile: Profile = {
  name: "default",
  store: "embedded",
  pki: { adminOrganizations: ["system:masters"], clients: [], servesNodes: true },
  operator: "admin",
  prepare: () => undefined,
  flags: () => ({}),
  agentFields: () => ({}),
  agentCertDir: (files) => files.pki,
  notes: () => [],
  setUp: async () => undefined,
  finishNode: async () => undefined,
  maintain: async () => undefined,
};
