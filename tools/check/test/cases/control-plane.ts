import { auditPolicySchema } from "@orchernetes/config";
import type { DaemonName, FileRole } from "../../src/evidence/evidence.ts";
import type { Case } from "../support.ts";

const flagCase = (daemon: DaemonName, number: string, good: string, bad: string): Case => [
  number,
  { flags: { [daemon]: good } },
  { flags: { [daemon]: bad } },
];
const apiserver = (number: string, good: string, bad: string) => flagCase("orch-apiserver", number, good, bad);
const manager = (number: string, good: string, bad: string) => flagCase("orch-controller-manager", number, good, bad);

/** A control about the mode, and the next one, about the owner. */
export const fileCases = (role: FileRole, mode: string, owner: string, open = 0o644): readonly Case[] => [
  [mode, { files: { [role]: {} } }, { files: { [role]: { mode: open } } }],
  [owner, { files: { [role]: {} } }, { files: { [role]: { uid: 1000 } } }],
];

const suites = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256";

/** A policy from its rules, as the API server reads it. */
const policy = (...rules: readonly object[]) => ({
  value: auditPolicySchema.parse({ apiVersion: "audit.o8s.io/v1", kind: "Policy", rules }),
  source: "file /audit",
});
const withPolicy = { flags: { "orch-apiserver": "--audit-policy-file=/audit" } };
const credentials = {
  level: "Metadata",
  resources: [
    { group: "", resources: ["secrets", "serviceaccounts/token"] },
    { group: "authentication.o8s.io", resources: ["tokenreviews"] },
  ],
};
const secretbox = {
  value: [
    {
      resources: ["secrets"],
      providers: [{ type: "secretbox", keys: [] } as const, { type: "identity" } as const],
    },
  ],
  source: "file /encryption",
};
const identityFirst = {
  ...secretbox,
  value: [{ resources: ["secrets"], providers: [{ type: "identity" } as const] }],
};
const withEncryption = { flags: { "orch-apiserver": "--encryption-provider-config=/encryption" } };

export const controlPlaneCases: readonly Case[] = [
  ...fileCases("apiserver-config", "1.1.1", "1.1.2"),
  ...fileCases("manager-config", "1.1.3", "1.1.4"),
  ...fileCases("scheduler-config", "1.1.5", "1.1.6"),
  ...fileCases("etcd-config", "1.1.7", "1.1.8"),
  ...fileCases("cni", "1.1.9", "1.1.10"),
  ...fileCases("store", "1.1.11", "1.1.12", 0o750),
  ...fileCases("admin-client", "1.1.13", "1.1.14"),
  ...fileCases("scheduler-client", "1.1.15", "1.1.16"),
  ...fileCases("manager-client", "1.1.17", "1.1.18"),
  ["1.1.19", { files: { "pki-folder": {} } }, { files: { "pki-folder": { uid: 1 } } }],
  ["1.1.20", { files: { certificates: { mode: 0o400 } } }, { files: { certificates: { mode: 0o640 } } }],
  ["1.1.21", { files: { keys: {} } }, { files: { keys: { mode: 0o604 } } }],
  apiserver("1.2.1", "--anonymous-auth=false", ""),
  apiserver("1.2.2", "", "--token-auth-file=/tokens"),
  apiserver("1.2.3", "--enable-admission-plugins=DenyServiceExternalIPs", ""),
  apiserver("1.2.4", "--orchlet-client-certificate=/c --orchlet-client-key=/k", "--orchlet-client-certificate=/c"),
  apiserver("1.2.5", "--orchlet-certificate-authority=/ca", ""),
  apiserver("1.2.6", "--authorization-mode=Node,RBAC", "--authorization-mode=RBAC,AlwaysAllow"),
  apiserver("1.2.7", "--authorization-mode=Node,RBAC", "--authorization-mode=RBAC"),
  apiserver("1.2.8", "--authorization-mode=Node --authorization-mode=RBAC", "--authorization-mode=Node"),
  apiserver("1.2.9", "--enable-admission-plugins NodeRestriction,EventRateLimit", ""),
  apiserver("1.2.10", "", "--enable-admission-plugins=AlwaysAdmit"),
  apiserver("1.2.11", "--enable-admission-plugins=AlwaysPullImages", "--enable-admission-plugins="),
  apiserver("1.2.12", "", "--disable-admission-plugins=PodSecurity"),
  apiserver("1.2.13", "", "--disable-admission-plugins=ServiceAccount"),
  apiserver("1.2.14", "", "--disable-admission-plugins=PodSecurity,NamespaceLifecycle"),
  apiserver("1.2.15", "--enable-admission-plugins=NodeRestriction", ""),
  apiserver("1.24/1.2.16", "", "--secure-port=0"),
  apiserver("1.2.16", "--profiling=false", "--profiling"),
  apiserver("1.2.17", "--audit-log-path=/audit", ""),
  apiserver("1.2.18", "--audit-log-maxage=30", "--audit-log-maxage=7"),
  apiserver("1.2.19", "--audit-log-maxbackup=10", ""),
  apiserver("1.2.20", "--audit-log-maxsize=200", "--audit-log-maxsize=1"),
  apiserver("1.2.21", "--request-timeout=300s", "--request-timeout=1h"),
  apiserver("1.2.22", "", "--service-account-lookup=false"),
  apiserver("1.2.23", "--service-account-key-file=/k", ""),
  apiserver("1.2.24", "--etcd-certfile=/c --etcd-keyfile=/k", "--etcd-keyfile=/k"),
  apiserver("1.2.25", "--tls-cert-file=/c --tls-private-key-file=/k", ""),
  apiserver("1.2.26", "--client-ca-file=/ca", ""),
  apiserver("1.2.27", "--etcd-cafile=/ca", ""),
  apiserver("1.2.28", "--encryption-provider-config=/e", ""),
  ["1.2.29", { ...withEncryption, encryption: secretbox }, { ...withEncryption, encryption: identityFirst }],
  apiserver("1.2.30", `--tls-cipher-suites=${suites}`, `--tls-cipher-suites=${suites},TLS_RSA_WITH_AES_128_CBC_SHA`),
  manager("1.3.1", "--terminated-pod-gc-threshold=500", ""),
  manager("1.3.2", "--profiling=false", ""),
  manager("1.3.3", "--use-service-account-credentials", ""),
  manager("1.3.4", "--service-account-private-key-file=/k", ""),
  manager("1.3.5", "--root-ca-file=/ca", ""),
  manager("1.3.6", "", "--feature-gates=A=true,RotateOrchletServerCertificate=false"),
  manager("1.3.7", "--bind-address=127.0.0.1", ""),
  flagCase("orch-scheduler", "1.4.1", "--profiling=false", ""),
  flagCase("orch-scheduler", "1.4.2", "--bind-address=::1", "--bind-address=0.0.0.0"),
  flagCase("etcd", "2.1", "--cert-file=/c --key-file=/k", "--cert-file=/c"),
  flagCase("etcd", "2.2", "--client-cert-auth", ""),
  flagCase("etcd", "2.3", "", "--auto-tls"),
  flagCase("etcd", "2.4", "--peer-cert-file=/c --peer-key-file=/k", ""),
  flagCase("etcd", "2.5", "--peer-client-cert-auth=true", "--peer-client-cert-auth=false"),
  flagCase("etcd", "2.6", "", "--peer-auto-tls=true"),
  [
    "2.7",
    { flags: { etcd: "--trusted-ca-file=/etcd-ca", "orch-apiserver": "--client-ca-file=/ca" } },
    { flags: { etcd: "--trusted-ca-file=/ca", "orch-apiserver": "--client-ca-file=/ca" } },
  ],
  apiserver("3.1.1", "--oidc-issuer-url=https://login.example", ""),
  [
    "3.1.2",
    { objects: { tokenSecrets: [] } },
    { objects: { tokenSecrets: [{ metadata: { name: "t", namespace: "a" } }] } },
  ],
  apiserver("3.1.3", "", "--enable-bootstrap-token-auth"),
  [
    "3.2.1",
    { ...withPolicy, auditPolicy: policy({ level: "Metadata" }) },
    { ...withPolicy, auditPolicy: policy({ level: "None" }) },
  ],
  [
    "3.2.2",
    { ...withPolicy, auditPolicy: policy(credentials, { level: "Request" }) },
    { ...withPolicy, auditPolicy: policy({ level: "RequestResponse" }) },
  ],
];
