import type { Control } from "../../control.ts";
import { areStrong } from "../shared/cipher-suites.ts";
import { fieldControl, fieldOf, nodeControl } from "../shared/node-control.ts";

const isTrue = (value: unknown): boolean => value === true;
const isFalse = (value: unknown): boolean => value === false;
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isPositive = (value: unknown): boolean => typeof value === "number" && value > 0;
const field = (name: string, value: string): string => `OrchletConfiguration: ${name}: ${value}`;

const access: readonly Control[] = [
  fieldControl({
    number: "4.2.1",
    title: "The node's agent refuses anonymous requests",
    field: "authentication.anonymous.enabled",
    accept: isFalse,
    remedy: field("authentication.anonymous.enabled", "false"),
  }),
  fieldControl({
    number: "4.2.2",
    title: "The node's agent leaves authorization to the API server",
    field: "authorization.mode",
    accept: (mode) => mode === "Webhook",
    remedy: field("authorization.mode", "Webhook"),
  }),
  fieldControl({
    number: "4.2.3",
    title: "The node's agent verifies client certificates",
    field: "authentication.x509.clientCAFile",
    accept: isText,
    remedy: field("authentication.x509.clientCAFile", "FILE"),
  }),
  fieldControl({
    number: "4.2.4",
    title: "The node's agent has no port without authentication",
    field: "readOnlyPort",
    accept: (port) => port === 0,
    remedy: field("readOnlyPort", "0"),
  }),
  fieldControl({
    number: "4.2.5",
    title: "Idle streams to containers end",
    field: "streamingConnectionIdleTimeout",
    accept: (duration) => typeof duration === "string" && duration !== "0s",
    severity: "warn",
    remedy: field("streamingConnectionIdleTimeout", "5m"),
  }),
];

const host: readonly Control[] = [
  fieldControl({
    number: "1.24/4.2.6",
    title: "The node's agent requires the kernel settings that it expects",
    field: "protectKernelDefaults",
    accept: isTrue,
    // A warning only: later versions of the benchmark have dropped it, and on hosts where other programs own these settings it cannot be met.
    severity: "warn",
    remedy: "set the kernel's settings with sysctl, then OrchletConfiguration: protectKernelDefaults: true",
  }),
  fieldControl({
    number: "4.2.6",
    formerNumber: "4.2.7",
    title: "The iptables chains that other programs need are kept",
    field: "makeIPTablesUtilChains",
    accept: isTrue,
    remedy: field("makeIPTablesUtilChains", "true"),
  }),
  nodeControl({
    number: "4.2.7",
    formerNumber: "4.2.8",
    title: "The name of the node is the host's, or one that its certificate proves",
    severity: "warn",
    source: "command line and serving certificate of the node's agent",
    remedy: "orchlet: remove --hostname-override, or serverTLSBootstrap: true",
    judge({ name, flags, certificate }) {
      if (certificate?.selfSigned === false && certificate.names.split(", ").includes(`DNS:${name}`))
        return { isMet: true, found: `its certificate names ${name}` };
      if (flags === undefined) return undefined;
      const override = flags.get("hostname-override") ?? "";
      return {
        isMet: override === "",
        found: override === "" ? "no --hostname-override" : `--hostname-override=${override}`,
      };
    },
  }),
  fieldControl({
    number: "4.2.8",
    formerNumber: "4.2.9",
    title: "Events are recorded at a limited rate",
    field: "eventRecordQPS",
    accept: isPositive,
    severity: "warn",
    remedy: field("eventRecordQPS", "50"),
  }),
];

const certificatesAndLimits: readonly Control[] = [
  nodeControl({
    number: "4.2.9",
    formerNumber: "4.2.10",
    title: "The node's agent serves with a certificate that an authority signed",
    source: "TLS connection to the node's agent, /configz",
    remedy: "OrchletConfiguration: serverTLSBootstrap: true, or tlsCertFile and tlsPrivateKeyFile",
    judge({ settings, certificate }) {
      if (certificate === undefined && settings === undefined) return undefined;
      if (certificate !== undefined)
        return {
          isMet: !certificate.selfSigned,
          found: certificate.selfSigned ? "a self-signed certificate" : `a certificate for ${certificate.names}`,
        };
      const isSet = isText(fieldOf(settings, "tlsCertFile")) || fieldOf(settings, "serverTLSBootstrap") === true;
      return { isMet: isSet, found: isSet ? "a certificate is configured" : "no certificate is configured" };
    },
  }),
  fieldControl({
    number: "4.2.10",
    formerNumber: "4.2.11",
    title: "The client certificate of the node's agent is renewed",
    field: "rotateCertificates",
    accept: isTrue,
    remedy: field("rotateCertificates", "true"),
  }),
  fieldControl({
    number: "4.2.11",
    formerNumber: "4.2.12",
    title: "The serving certificate of the node's agent comes from the cluster",
    field: "serverTLSBootstrap",
    accept: isTrue,
    severity: "warn",
    remedy: field("serverTLSBootstrap", "true"),
  }),
  fieldControl({
    number: "4.2.12",
    formerNumber: "4.2.13",
    title: "The node's agent offers strong cipher suites only",
    field: "tlsCipherSuites",
    accept: (suites) => Array.isArray(suites) && areStrong(suites.map(String)),
    severity: "warn",
    remedy: "OrchletConfiguration: tlsCipherSuites with suites of ECDHE and GCM or ChaCha20-Poly1305",
  }),
  fieldControl({
    number: "4.2.13",
    title: "The number of processes of a pod is limited",
    field: "podPidsLimit",
    accept: isPositive,
    severity: "warn",
    remedy: field("podPidsLimit", "1024"),
  }),
];

/** Section 4.2: the agent of each node. */
export const agent: readonly Control[] = [...access, ...host, ...certificatesAndLimits];
