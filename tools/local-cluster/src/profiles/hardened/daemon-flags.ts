import type { Layout } from "../../layout.ts";
import type { ExtraFlags, Profile } from "../../profile.ts";
import { signerFlags } from "../../signer-flags.ts";
import { cipherSuites, minVersion } from "./tls.ts";

const tls: ExtraFlags = { "tls-min-version": minVersion, "tls-cipher-suites": cipherSuites.join() };

/** Flags of the central daemons, which are added to those of every cluster. */
export const daemonFlags: Profile["flags"] = (daemon, files) => {
  switch (daemon) {
    case "orch-apiserver":
      return { ...tls, profiling: false, ...apiServer(files) };
    case "orch-controller-manager":
      return { ...tls, profiling: false, "terminated-pod-gc-threshold": 500, ...signerFlags(files) };
    case "orch-scheduler":
    case "metrics-server":
      return { ...tls, profiling: false };
  }
};

const apiServer = (files: Layout): ExtraFlags => ({
  // This includes health checks, because 1.27 cannot exempt paths. Probes authenticate as `health-probe`. The other daemons serve
  // /healthz, /livez and /readyz to everybody (--authorization-always-allow-paths), and are on loopback.
  "anonymous-auth": false,
  "service-account-lookup": true,
  "service-account-extend-token-expiration": false,
  "enable-admission-plugins": "NodeRestriction,AlwaysPullImages,EventRateLimit,DenyServiceExternalIPs",
  "admission-control-config-file": files.profileFile("hardened", "admission.yaml"),
  "encryption-provider-config": files.profileFile("hardened", "encryption.yaml"),
  "audit-policy-file": files.profileFile("hardened", "audit-policy.yaml"),
  "audit-log-path": files.logFile("audit"),
  "audit-log-maxage": 30,
  "audit-log-maxbackup": 10,
  "audit-log-maxsize": 100,
  "request-timeout": "1m",
});
