import type { Control } from "../../control.ts";
import { modeControl, ownerControl } from "../shared/file-control.ts";

const noService = "there is no service file of orchlet on this host";
const noProxy = "no network proxy of a node can be seen on this host";
const noAgent = "no agent of a node can be seen on this host";

/** Section 4.1: files of nodes. */
export const nodeFiles: readonly Control[] = [
  modeControl({
    number: "4.1.1",
    title: "The service file of the node's agent is closed to others",
    role: "agent-service",
    without: noService,
    atMost: 0o600,
  }),
  ownerControl({
    number: "4.1.2",
    title: "The service file of the node's agent belongs to root",
    role: "agent-service",
    without: noService,
  }),
  modeControl({
    number: "4.1.3",
    title: "The proxy's client configuration is closed to others",
    role: "proxy-client",
    without: noProxy,
    atMost: 0o600,
  }),
  ownerControl({
    number: "4.1.4",
    title: "The proxy's client configuration belongs to root",
    role: "proxy-client",
    without: noProxy,
  }),
  modeControl({
    number: "4.1.5",
    title: "The client configuration of the node's agent is closed to others",
    role: "agent-client",
    without: noAgent,
    atMost: 0o600,
  }),
  ownerControl({
    number: "4.1.6",
    title: "The client configuration of the node's agent belongs to root",
    role: "agent-client",
    without: noAgent,
  }),
  modeControl({
    number: "4.1.7",
    title: "The file of authorities that the node's agent trusts is closed to others",
    role: "agent-authorities",
    without: noAgent,
    atMost: 0o600,
    severity: "warn",
  }),
  ownerControl({
    number: "4.1.8",
    title: "The file of authorities that the node's agent trusts belongs to root",
    role: "agent-authorities",
    without: noAgent,
    severity: "warn",
  }),
  modeControl({
    number: "4.1.9",
    title: "The configuration file of the node's agent is closed to others",
    role: "agent-config",
    without: noAgent,
    atMost: 0o600,
  }),
  ownerControl({
    number: "4.1.10",
    title: "The configuration file of the node's agent belongs to root",
    role: "agent-config",
    without: noAgent,
  }),
];
