import type { Case } from "../support.ts";
import { fileCases } from "./control-plane.ts";

const field = (
  number: string,
  good: Readonly<Record<string, unknown>>,
  bad: Readonly<Record<string, unknown>>,
): Case => [number, { settings: good }, { settings: bad }];

export const nodeCases: readonly Case[] = [
  ...fileCases("agent-service", "4.1.1", "4.1.2"),
  ...fileCases("proxy-client", "4.1.3", "4.1.4"),
  ...fileCases("agent-client", "4.1.5", "4.1.6"),
  ...fileCases("agent-authorities", "4.1.7", "4.1.8"),
  ...fileCases("agent-config", "4.1.9", "4.1.10"),
  field(
    "4.2.1",
    { authentication: { anonymous: { enabled: false } } },
    { authentication: { anonymous: { enabled: true } } },
  ),
  field("4.2.2", { authorization: { mode: "Webhook" } }, { authorization: { mode: "AlwaysAllow" } }),
  field(
    "4.2.3",
    { authentication: { x509: { clientCAFile: "/ca" } } },
    { authentication: { x509: { clientCAFile: "" } } },
  ),
  field("4.2.4", { readOnlyPort: 0 }, { readOnlyPort: 10255 }),
  field("4.2.5", { streamingConnectionIdleTimeout: "5m0s" }, { streamingConnectionIdleTimeout: "0s" }),
  field("1.24/4.2.6", { protectKernelDefaults: true }, { protectKernelDefaults: false }),
  field("4.2.6", { makeIPTablesUtilChains: true }, {}),
  [
    "4.2.7",
    { agentFlags: "--hostname-override=n", certificate: { selfSigned: false, names: "DNS:n, IP Address:10.0.0.1" } },
    { agentFlags: "--hostname-override=n", certificate: { selfSigned: true, names: "DNS:n" } },
  ],
  field("4.2.8", { eventRecordQPS: 50 }, { eventRecordQPS: 0 }),
  [
    "4.2.9",
    { certificate: { selfSigned: false, names: "DNS:n" } },
    { certificate: { selfSigned: true, names: "DNS:n" } },
  ],
  field("4.2.10", { rotateCertificates: true }, { rotateCertificates: false }),
  field("4.2.11", { serverTLSBootstrap: true }, { serverTLSBootstrap: false }),
  field("4.2.12", { tlsCipherSuites: ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"] }, { tlsCipherSuites: [] }),
  field("4.2.13", { podPidsLimit: 1024 }, { podPidsLimit: -1 }),
];
