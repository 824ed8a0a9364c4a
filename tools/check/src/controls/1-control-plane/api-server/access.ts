import type { Control } from "../../../control.ts";
import { flagControl, flagsSetControl, includes, is, isSet, isUnset } from "../../shared/flag-control.ts";
import { pluginControl } from "../../shared/plugin-control.ts";
import { byStatus } from "./by-status.ts";

const daemon = "orch-apiserver";

/** Controls of section 1.2 about authentication and authorization. */
export const access: readonly Control[] = [
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
