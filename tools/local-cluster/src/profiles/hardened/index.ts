/**
 * A cluster that passes the controls of `npm run check`. docs/security/hardened-cluster.md describes it for users.
 *
 * - `daemon-flags.ts`: flags of the central daemons
 * - `agent-fields.ts`: fields of the node agents' configuration
 * - `admission.ts`, `audit-policy.ts`, `encryption.ts`: the files that the API server reads
 * - `access.ts`: bindings and service accounts
 * - `serving-requests.ts`: the approval of the nodes' serving certificates
 *
 * @module
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ensureFolder, wrongKernelSettings } from "@orchernetes/host";
import { apiRequest } from "../../api-probe.ts";
import type { Profile, ProfileTarget } from "../../profile.ts";
import { ADMIN_GROUP, setUpAccess } from "./access.ts";
import { admissionConfiguration } from "./admission.ts";
import { agentFields } from "./agent-fields.ts";
import { auditPolicy } from "./audit-policy.ts";
import { daemonFlags } from "./daemon-flags.ts";
import { ensureEncryption } from "./encryption.ts";
import { approveServing } from "./serving-requests.ts";
import { writePrivate } from "./write-private.ts";

/** The client that remains in `system:masters`, for emergencies. This tool uses it to set up the cluster. */
const OPERATOR = "super-admin";

/** Time limit from the request of a node's certificate to the first response of its agent. */
const certificateMs = 60_000;

/** Profile `hardened` of `npm run up`. */
export const hardenedProfile: Profile = {
  name: "hardened",
  store: "etcd",
  operator: OPERATOR,
  pki: {
    adminOrganizations: [ADMIN_GROUP],
    clients: [
      { name: OPERATOR, commonName: "orchernetes-super-admin", organizations: ["system:masters"] },
      // Anonymous requests are rejected, also for health. Every authenticated user may read health, and this user may do nothing else.
      { name: "health-probe", commonName: "orchernetes-health-probe", organizations: [] },
    ],
    servesNodes: false,
    // Bootstrap tokens authenticate nobody.
    joinsNodes: false,
  },
  prepare(files) {
    const folder = files.profile("hardened");
    ensureFolder(folder, 0o700);
    writePrivate(files.profileFile("hardened", "admission.yaml"), admissionConfiguration);
    writePrivate(files.profileFile("hardened", "audit-policy.yaml"), auditPolicy);
    ensureEncryption(files.profileFile("hardened", "encryption.yaml"));
  },
  flags: daemonFlags,
  agentFields: () => agentFields(wrongKernelSettings().length === 0),
  notes() {
    const wrong = wrongKernelSettings();
    if (wrong.length === 0) return [];
    return [
      "Node agents run without protectKernelDefaults: this host's kernel settings are not those that nodes need. To change that:",
      `  sysctl -w ${wrong.map(({ name, want }) => `${name}=${want}`).join(" ")}   (then npm run down, and up again)`,
    ];
  },
  setUpTitle: "permissions of profile hardened",
  setUp: ({ files, state }) => setUpAccess(files, state.port, OPERATOR),
  async finishNode(target, node) {
    for (const until = Date.now() + certificateMs; ; ) {
      await approveAll(target);
      const path = `/api/v1/nodes/${node.name}/proxy/healthz`;
      const { status, body } = await apiRequest(target.files, target.state.port, { method: "GET", path, as: OPERATOR });
      if (status === 200) return;
      if (Date.now() >= until)
        throw new Error(
          `${node.name} has no serving certificate that the API server accepts: it answered ${status}: ${body}`,
        );
      await sleep(200);
    }
  },
  maintain: (target) => approveAll(target),
};

const approveAll = ({ files, state }: ProfileTarget): Promise<void> =>
  approveServing({
    nodes: state.nodes,
    call: (request) => apiRequest(files, state.port, { ...request, as: OPERATOR }),
  });
