/** The file of `--admission-control-config-file`. */
export const admissionConfiguration: object = {
  apiVersion: "apiserver.config.o8s.io/v1",
  kind: "AdmissionConfiguration",
  plugins: [
    {
      name: "PodSecurity",
      configuration: {
        apiVersion: "pod-security.admission.config.o8s.io/v1",
        kind: "PodSecurityConfiguration",
        defaults: {
          enforce: "baseline",
          "enforce-version": "latest",
          audit: "restricted",
          "audit-version": "latest",
          warn: "restricted",
          "warn-version": "latest",
        },
        exemptions: {
          usernames: [],
          runtimeClasses: [],
          // Network plugins, storage drivers and the like run here, as root on their nodes. The other namespaces of the system,
          // orch-public and orch-node-lease, hold no pods, and are not exempt.
          namespaces: ["orch-system"],
        },
      },
    },
    {
      name: "EventRateLimit",
      configuration: {
        apiVersion: "eventratelimit.admission.o8s.io/v1alpha1",
        kind: "Configuration",
        limits: [
          { type: "Server", qps: 500, burst: 2000 },
          { type: "Namespace", qps: 50, burst: 500, cacheSize: 2000 },
          { type: "SourceAndObject", qps: 5, burst: 50, cacheSize: 4096 },
        ],
      },
    },
  ],
};
