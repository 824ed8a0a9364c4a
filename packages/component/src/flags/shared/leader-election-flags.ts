import { flagSection } from "../flag.ts";

/**
 * The flags of leader election.
 * @param name default name of the lock object
 * @param section the part of the daemon's document that they set, by dotted path
 */
export function leaderElectionFlags<const Name extends string>(name: Name, section = "leaderElection") {
  const field = (of: string): string => `${section}.${of}`;
  return flagSection("Leader election", {
    "leader-elect": {
      field: field("leaderElect"),
      type: "bool",
      default: true,
      help: "Takes part in a leader election and runs only while leading. Enable this if several replicas run.",
    },
    "leader-elect-lease-duration": {
      field: field("leaseDuration"),
      type: "duration",
      default: "15s",
      min: 1,
      help: "How long candidates wait after the last observed renewal before they acquire an abandoned lease.",
    },
    "leader-elect-renew-deadline": {
      field: field("renewDeadline"),
      type: "duration",
      default: "10s",
      min: 1,
      help: "How long the leader retries a renewal before it stops leading. Must be less than the lease duration.",
    },
    "leader-elect-retry-period": {
      field: field("retryPeriod"),
      type: "duration",
      default: "2s",
      min: 1,
      help: "Interval between attempts to acquire or renew the lease.",
    },
    "leader-elect-resource-lock": {
      field: field("resourceLock"),
      type: "string",
      default: "leases",
      oneOf: ["leases", "endpointsleases", "configmapsleases"],
      help: "Type of resource that is used as the lock.",
    },
    "leader-elect-resource-name": {
      field: field("resourceName"),
      type: "string",
      default: name,
      help: "Name of the lock object.",
    },
    "leader-elect-resource-namespace": {
      field: field("resourceNamespace"),
      type: "string",
      default: "orch-system",
      help: "Namespace of the lock object.",
    },
  });
}
