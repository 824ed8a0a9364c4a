import { type Control, judged, met, notApplicable, unknown } from "../../control.ts";
import type { Evidence } from "../../evidence/evidence.ts";
import { areStrong } from "../shared/cipher-suites.ts";
import {
  atLeast,
  flagControl,
  flagsSetControl,
  flagsUnseen,
  includes,
  is,
  isSet,
  isUnset,
} from "../shared/flag-control.ts";
import { pluginControl, pluginRuns } from "../shared/plugin-control.ts";

const daemon = "orch-apiserver";

/** Controls about the store's connection make sense only where there is one. */
function withEtcd(control: Control): Control {
  return {
    ...control,
    judge(evidence) {
      const flags = evidence.daemons[daemon]?.flags;
      return flags?.get("storage-backend") === "embedded"
        ? notApplicable("the store is embedded in the API server: there is no connection to it")
        : control.judge(evidence);
    },
  };
}

/** A finding from the answer to a request, if the command line cannot be seen. */
const byStatus =
  (status: (evidence: Evidence) => number | undefined, request: string, isGood: (status: number) => boolean) =>
  (evidence: Evidence) => {
    const answer = status(evidence);
    if (answer === undefined) return flagsUnseen(daemon);
    return judged(isGood(answer), `${request} is answered with ${answer}`, "an answer of the API server");
  };

const access: readonly Control[] = [
  flagControl({
    number: "1.2.1",
    title: "Anonymous requests are refused",
    daemon,
    flag: "anonymous-auth",
    absent: "true",
    accept: is("false"),
    otherwise: byStatus(
      ({ anonymousStatus }) => anonymousStatus,
      "/version without credentials",
      (status) => status === 401,
    ),
    remedy: "orch-apiserver --anonymous-auth=false; give probes a client certificate",
  }),
  flagControl({
    number: "1.2.2",
    title: "No file with static tokens is used",
    daemon,
    flag: "token-auth-file",
    accept: isUnset,
    remedy: "orch-apiserver: remove --token-auth-file",
  }),
  pluginControl({
    number: "1.2.3",
    title: "Services get no external addresses of the user's choice",
    plugin: "DenyServiceExternalIPs",
    severity: "warn",
  }),
  flagsSetControl({
    number: "1.2.4",
    title: "The API server authenticates itself at nodes",
    daemon,
    flags: ["orchlet-client-certificate", "orchlet-client-key"],
    remedy: "orch-apiserver --orchlet-client-certificate=FILE --orchlet-client-key=FILE",
  }),
  flagControl({
    number: "1.2.5",
    title: "The API server verifies the certificates of nodes",
    daemon,
    flag: "orchlet-certificate-authority",
    accept: isSet,
    remedy: "orch-apiserver --orchlet-certificate-authority=FILE",
  }),
  flagControl({
    number: "1.2.6",
    title: "Requests are not allowed without authorization",
    daemon,
    flag: "authorization-mode",
    absent: "AlwaysAllow",
    accept: (modes) => !includes("AlwaysAllow")(modes),
    remedy: "orch-apiserver --authorization-mode=Node,RBAC",
  }),
  flagControl({
    number: "1.2.7",
    title: "Nodes may read only what their pods need",
    daemon,
    flag: "authorization-mode",
    absent: "AlwaysAllow",
    accept: includes("Node"),
    remedy: "orch-apiserver --authorization-mode=Node,RBAC",
  }),
  flagControl({
    number: "1.2.8",
    title: "Roles decide who may do what",
    daemon,
    flag: "authorization-mode",
    absent: "AlwaysAllow",
    accept: includes("RBAC"),
    remedy: "orch-apiserver --authorization-mode=Node,RBAC",
  }),
];

const plugins: readonly Control[] = [
  pluginControl({
    number: "1.2.9",
    title: "The rate of events is limited",
    plugin: "EventRateLimit",
    severity: "warn",
  }),
  pluginControl({
    number: "1.2.10",
    title: "Admission does not admit everything",
    plugin: "AlwaysAdmit",
    wanted: false,
  }),
  pluginControl({
    number: "1.2.11",
    title: "Images are pulled with the credentials of each pod",
    plugin: "AlwaysPullImages",
    severity: "warn",
  }),
  {
    number: "1.2.12",
    title: "Security settings of pods are checked at admission",
    severity: "warn",
    remedy: "orch-apiserver: remove PodSecurity from --disable-admission-plugins",
    judge({ daemons, activePlugins }) {
      const facts = daemons[daemon];
      if (facts === undefined)
        return activePlugins.has("PodSecurity")
          ? met("PodSecurity decides about requests", "/metrics of the API server")
          : flagsUnseen(daemon);
      const found = ["PodSecurity", "SecurityContextDeny"].filter((name) =>
        pluginRuns(facts.flags, name, name === "PodSecurity"),
      );
      const text =
        found.length === 0 ? "neither PodSecurity nor SecurityContextDeny is enabled" : `${found.join()} is enabled`;
      return judged(found.length > 0, text, facts.source);
    },
  },
  pluginControl({ number: "1.2.13", title: "Pods get service accounts", plugin: "ServiceAccount", byDefault: true }),
  pluginControl({
    number: "1.2.14",
    title: "Nothing is created in namespaces that end",
    plugin: "NamespaceLifecycle",
    byDefault: true,
  }),
  pluginControl({ number: "1.2.15", title: "Nodes change only themselves and their pods", plugin: "NodeRestriction" }),
];

const serving: readonly Control[] = [
  {
    ...flagControl({
      number: "1.24/1.2.16",
      title: "The API server serves over TLS",
      daemon,
      flag: "secure-port",
      absent: "6443",
      accept: (port) => port !== "0",
      remedy: "orch-apiserver: remove --secure-port=0",
      otherwise: () => met("the API server answers over TLS", "the connection of this program"),
    }),
  },
  flagControl({
    number: "1.2.16",
    formerNumber: "1.2.17",
    title: "The API server serves no profiles",
    daemon,
    flag: "profiling",
    absent: "true",
    accept: is("false"),
    otherwise: byStatus(
      ({ profilingStatus }) => profilingStatus,
      "/debug/pprof/",
      (status) => status === 404,
    ),
    remedy: "orch-apiserver --profiling=false",
  }),
];

const audit: readonly Control[] = [
  flagControl({
    number: "1.2.17",
    formerNumber: "1.2.18",
    title: "Requests are recorded",
    daemon,
    flag: "audit-log-path",
    accept: isSet,
    remedy: "orch-apiserver --audit-policy-file=FILE --audit-log-path=FILE",
  }),
  flagControl({
    number: "1.2.18",
    formerNumber: "1.2.19",
    title: "Records are kept for 30 days",
    daemon,
    flag: "audit-log-maxage",
    absent: "0",
    accept: atLeast(30),
    remedy: "orch-apiserver --audit-log-maxage=30",
  }),
  flagControl({
    number: "1.2.19",
    formerNumber: "1.2.20",
    title: "Ten former files of records are kept",
    daemon,
    flag: "audit-log-maxbackup",
    absent: "0",
    accept: atLeast(10),
    remedy: "orch-apiserver --audit-log-maxbackup=10",
  }),
  flagControl({
    number: "1.2.20",
    formerNumber: "1.2.21",
    title: "Files of records have 100 megabytes",
    daemon,
    flag: "audit-log-maxsize",
    absent: "0",
    accept: atLeast(100),
    remedy: "orch-apiserver --audit-log-maxsize=100",
  }),
  flagControl({
    number: "1.2.21",
    formerNumber: "1.2.22",
    title: "Requests end after a limited time",
    daemon,
    flag: "request-timeout",
    absent: "1m0s",
    // Longer limits let few clients hold many requests.
    accept: (text) => /^(?:[1-5]m0?s?|[1-9]\d?s|[12]\d\ds|300s|[1-5]m\d?\ds)$/.test(text),
    severity: "warn",
    remedy: "orch-apiserver --request-timeout=1m0s, at most five minutes",
  }),
];

const credentials: readonly Control[] = [
  flagControl({
    number: "1.2.22",
    formerNumber: "1.2.23",
    title: "Tokens of deleted service accounts are refused",
    daemon,
    flag: "service-account-lookup",
    absent: "true",
    accept: is("true"),
    remedy: "orch-apiserver --service-account-lookup=true",
  }),
  flagControl({
    number: "1.2.23",
    formerNumber: "1.2.24",
    title: "Tokens of service accounts are verified with a key of their own",
    daemon,
    flag: "service-account-key-file",
    accept: isSet,
    remedy: "orch-apiserver --service-account-key-file=FILE",
  }),
  withEtcd(
    flagsSetControl({
      number: "1.2.24",
      formerNumber: "1.2.25",
      title: "The API server authenticates itself at etcd",
      daemon,
      flags: ["etcd-certfile", "etcd-keyfile"],
      remedy: "orch-apiserver --etcd-certfile=FILE --etcd-keyfile=FILE",
    }),
  ),
  flagsSetControl({
    number: "1.2.25",
    formerNumber: "1.2.26",
    title: "The API server has a serving certificate",
    daemon,
    flags: ["tls-cert-file", "tls-private-key-file"],
    remedy: "orch-apiserver --tls-cert-file=FILE --tls-private-key-file=FILE",
  }),
  flagControl({
    number: "1.2.26",
    formerNumber: "1.2.27",
    title: "Client certificates are verified",
    daemon,
    flag: "client-ca-file",
    accept: isSet,
    remedy: "orch-apiserver --client-ca-file=FILE",
  }),
  withEtcd(
    flagControl({
      number: "1.2.27",
      formerNumber: "1.2.28",
      title: "The API server verifies etcd's certificate",
      daemon,
      flag: "etcd-cafile",
      accept: isSet,
      remedy: "orch-apiserver --etcd-cafile=FILE",
    }),
  ),
];

const encryption: readonly Control[] = [
  flagControl({
    number: "1.2.28",
    formerNumber: "1.2.29",
    title: "Encryption of the store is configured",
    daemon,
    flag: "encryption-provider-config",
    accept: isSet,
    remedy: "orch-apiserver --encryption-provider-config=FILE",
  }),
  {
    number: "1.2.29",
    formerNumber: "1.2.30",
    title: "Secrets are encrypted with a strong provider",
    remedy: "name secretbox, aescbc or kms as the first provider of secrets, then rewrite all secrets",
    judge({ daemons, encryption: configuration }) {
      const facts = daemons[daemon];
      if (facts === undefined) return flagsUnseen(daemon);
      if ((facts.flags.get("encryption-provider-config") ?? "") === "")
        return judged(false, "nothing is encrypted", facts.source);
      if (configuration === undefined) return unknown("the file of --encryption-provider-config cannot be read");
      const { value, source } = configuration;
      const entry = value.find(({ resources }) => resources.some((name) => ["secrets", "*.", "*.*"].includes(name)));
      const first = entry?.providers[0]?.type;
      const isStrong = first !== undefined && ["secretbox", "aescbc", "kms"].includes(first);
      return judged(isStrong, `secrets are written with provider ${first ?? "identity"}`, source);
    },
  },
  flagControl({
    number: "1.2.30",
    formerNumber: "1.2.31",
    title: "The API server offers strong cipher suites only",
    daemon,
    flag: "tls-cipher-suites",
    accept: (suites) => areStrong(suites.split(",").filter((suite) => suite !== "")),
    severity: "warn",
    remedy: "orch-apiserver --tls-cipher-suites=... with suites of ECDHE and GCM or ChaCha20-Poly1305",
  }),
];

/** Section 1.2: the API server. */
export const apiServer: readonly Control[] = [
  ...access,
  ...plugins,
  ...serving,
  ...audit,
  ...credentials,
  ...encryption,
];
