import type { Control } from "../../control.ts";
import { flagControl, is, isSet } from "../shared/flag-control.ts";

const daemon = "orch-controller-manager";

/** More terminated pods than this are a reason to look: the default of the flag. */
const DEFAULT_PODS = 12_500;

/** Section 1.3: the controller manager. */
export const controllerManager: readonly Control[] = [
  flagControl({
    number: "1.3.1",
    title: "Terminated pods are deleted before there are too many",
    daemon,
    flag: "terminated-pod-gc-threshold",
    absent: String(DEFAULT_PODS),
    accept: (pods) => Number(pods) > 0 && Number(pods) < DEFAULT_PODS,
    severity: "warn",
    remedy: "orch-controller-manager --terminated-pod-gc-threshold=500",
  }),
  flagControl({
    number: "1.3.2",
    title: "The controller manager serves no profiles",
    daemon,
    flag: "profiling",
    absent: "true",
    accept: is("false"),
    remedy: "orch-controller-manager --profiling=false",
  }),
  flagControl({
    number: "1.3.3",
    title: "Each controller has an account of its own",
    daemon,
    flag: "use-service-account-credentials",
    absent: "false",
    accept: is("true"),
    remedy: "orch-controller-manager --use-service-account-credentials=true",
  }),
  flagControl({
    number: "1.3.4",
    title: "Tokens of service accounts are signed with a key of their own",
    daemon,
    flag: "service-account-private-key-file",
    accept: isSet,
    remedy: "orch-controller-manager --service-account-private-key-file=FILE",
  }),
  flagControl({
    number: "1.3.5",
    title: "Pods can verify the API server",
    daemon,
    flag: "root-ca-file",
    accept: isSet,
    remedy: "orch-controller-manager --root-ca-file=FILE",
  }),
  flagControl({
    number: "1.3.6",
    title: "Serving certificates of nodes can be rotated",
    daemon,
    flag: "feature-gates",
    accept: (gates) => !gates.split(",").includes("RotateOrchletServerCertificate=false"),
    remedy: "orch-controller-manager: remove RotateOrchletServerCertificate=false from --feature-gates",
  }),
  flagControl({
    number: "1.3.7",
    title: "The controller manager listens on loopback only",
    daemon,
    flag: "bind-address",
    absent: "0.0.0.0",
    accept: is("127.0.0.1", "::1"),
    remedy: "orch-controller-manager --bind-address=127.0.0.1",
  }),
];
