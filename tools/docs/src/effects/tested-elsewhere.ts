/** A test that sees the effect of a setting which a daemon does not read while it only starts, and words that it has. */
export type Witness = readonly [file: string, ...words: readonly string[]];

type Witnesses = Readonly<Record<string, Witness>>;

const logs: Witnesses = {
  v: ["packages/component/src/run-daemon.test.ts", "--v=2"],
  vmodule: ["packages/component/src/run-daemon.test.ts", "--vmodule="],
  "log-flush-frequency": ["packages/component/src/logs/logs.test.ts", "flushMs"],
};
const hpa = "apps/orch-controller-manager/src/controllers/horizontalpodautoscaling";
const proxyKernel = "apps/orch-proxy/src/host/kernel-parameters.test.ts";
const housekeeping = "apps/orchlet/src/housekeeping.test.ts";

const containerManager = "apps/orchlet/src/container-manager";
const lockFile = "apps/orchlet/src/lock-file.test.ts";
const credentialProviders = "apps/orchlet/src/images/credentials/credential-providers.test.ts";

/** Connections are made of these before the start. */
const contentTypes: Witness = [
  "packages/client/src/content/content-types.test.ts",
  "contentType",
  "acceptContentTypes",
];

/** Fields of OrchletConfiguration that work begins to read later, by their path. */
const orchletFields: Witnesses = {
  cpuManagerPolicyOptions: [`${containerManager}/cpu-manager/static-cpu-policy.test.ts`, "full-pcpus-only"],
  topologyManagerPolicyOptions: [`${containerManager}/topology-manager/policies.test.ts`, "prefer-closest-numa-nodes"],
  reservedMemory: [`${containerManager}/memory-manager/static-memory-policy.test.ts`, "reservedMemory"],
  // Set for sandboxes of pods, where it was asked for.
  hairpinMode: ["apps/orchlet/src/network/hairpin.test.ts", "hairpin-veth", "promiscuous-bridge"],
  runOnce: ["apps/orchlet/src/run-once.test.ts", "runOnce"],
  oomScoreAdj: ["apps/orchlet/src/process-limits.test.ts", "oomScoreAdj"],
  maxOpenFiles: ["apps/orchlet/src/process-limits.test.ts", "maxOpenFiles"],
  contentType: contentTypes,
  podCIDR: ["apps/orchlet/src/runtime/pod-cidr.test.ts", "podCIDR of a standalone agent"],
  streamingConnectionIdleTimeout: ["apps/orchlet/src/server/streams/streaming.test.ts", "idleMs"],
  imageMinimumGCAge: [housekeeping, "imageMinimumGCAge"],
  imageGCHighThresholdPercent: [housekeeping, "imageGCHighThresholdPercent"],
  imageGCLowThresholdPercent: [housekeeping, "imageGCLowThresholdPercent"],
  containerLogMaxSize: [housekeeping, "logMaxBytes"],
  containerLogMaxFiles: [housekeeping, "containerLogMaxFiles"],
  showHiddenMetricsForVersion: ["packages/component/src/metrics/metrics.test.ts", "show-hidden-metrics-for-version"],
  failSwapOn: ["apps/orchlet/src/config/setting-errors.test.ts", "swap is on"],
  protectKernelDefaults: ["apps/orchlet/src/config/setting-errors.test.ts", "protectKernelDefaults"],
  featureGates: ["packages/config/src/config.test.ts", "NodeSwap"],
  "logging.options.json.splitStream": ["apps/orchlet/src/log-settings.test.ts", "splitStream"],
  "logging.options.json.infoBufferSize": ["apps/orchlet/src/log-settings.test.ts", "infoBufferSize"],
  "logging.format": ["apps/orchlet/src/log-settings.test.ts", "json"],
  "logging.verbosity": ["packages/component/src/run-daemon.test.ts", "logging"],
  "logging.vmodule": ["packages/component/src/run-daemon.test.ts", "logging"],
  "logging.flushFrequency": ["packages/component/src/logs/logs.test.ts", "flushMs"],
};

/** By daemon, and by flag, or by field of its configuration document. */
export const testedElsewhere: Readonly<Record<string, { readonly flags: Witnesses; readonly fields: Witnesses }>> = {
  "orch-apiserver": {
    flags: {
      ...logs,
      // What a server serves is behind a function.
      "runtime-config": ["apps/orch-apiserver/test/runtime-config.test.ts", "--runtime-config="],
      // Which names are taken is all that there is to see: no provider is built in, so any file is refused.
      "cloud-provider": ["apps/orch-apiserver/src/cloud-provider.test.ts", '"external"'],
      "cloud-config": ["apps/orch-apiserver/test/config-errors.test.ts", "--cloud-config="],
      // Each plugin reads its configuration when it decides.
      "admission-control-config-file": [
        "apps/orch-apiserver/test/admission-plugins.test.ts",
        "--admission-control-config-file=",
      ],
    },
    fields: {},
  },
  "orch-scheduler": {
    flags: {
      ...logs,
      config: ["apps/orch-scheduler/src/config/scheduler-configuration.test.ts", "--config="],
      "write-config-to": ["apps/orch-scheduler/src/config/scheduler-configuration.test.ts", "writeConfiguration"],
      // Nothing in the scheduler is behind a gate: naming one warns.
      "feature-gates": ["tools/docs/src/warnings.test.ts", "orch-scheduler", "feature gate"],
    },
    // Connections and their limits are made of these before the start: their flags change both.
    fields: {
      "clientConnection.orchconfig": ["tools/docs/src/effects/samples.ts", "orchconfig:"],
      "clientConnection.qps": ["tools/docs/src/effects/samples.ts", "--orch-api-qps="],
      "clientConnection.burst": ["tools/docs/src/effects/samples.ts", "--orch-api-burst="],
      "clientConnection.contentType": contentTypes,
      "clientConnection.acceptContentTypes": contentTypes,
    },
  },
  "orch-controller-manager": {
    flags: {
      ...logs,
      config: ["apps/orch-controller-manager/src/config.test.ts", "--config="],
      "cloud-provider": ["apps/orch-controller-manager/src/config.test.ts", "--cloud-provider="],
      "cloud-config": ["apps/orch-controller-manager/src/config.test.ts", "--cloud-config="],
      // Both managers run their clouds by the same function.
      "allow-untagged-cloud": ["apps/cloud-controller-manager/src/daemon.test.ts", "--allow-untagged-cloud"],
      "horizontal-pod-autoscaler-downscale-stabilization": [`${hpa}/reconcile.test.ts`, "downscaleStabilizationMs"],
      "horizontal-pod-autoscaler-tolerance": [`${hpa}/metrics/replica-count.test.ts`, "tolerance"],
      "horizontal-pod-autoscaler-cpu-initialization-period": [
        `${hpa}/metrics/replica-count.test.ts`,
        "cpuInitializationPeriodMs",
      ],
      "horizontal-pod-autoscaler-initial-readiness-delay": [
        `${hpa}/metrics/replica-count.test.ts`,
        "initialReadinessDelayMs",
      ],
      "cluster-signing-duration": [
        "apps/orch-controller-manager/test/certificates.test.ts",
        "--cluster-signing-duration=",
      ],
      "feature-gates": [`${hpa}/controller.test.ts`, "containerMetrics"],
    },
    fields: {},
  },
  "cloud-controller-manager": {
    flags: {
      ...logs,
      config: ["apps/cloud-controller-manager/src/config.test.ts", "--config="],
      "cloud-provider": ["apps/cloud-controller-manager/src/daemon.test.ts", "--cloud-provider="],
      "feature-gates": ["tools/docs/src/warnings.test.ts", "cloud-controller-manager", "feature gate"],
    },
    fields: {},
  },
  "metrics-server": { flags: { ...logs }, fields: {} },
  "orch-proxy": {
    flags: {
      ...logs,
      config: ["apps/orch-proxy/src/config.test.ts", "--config="],
      "write-config-to": ["apps/orch-proxy/src/config.test.ts", "--write-config-to="],
      cleanup: ["apps/orch-proxy/src/config.test.ts", "--cleanup"],
      "healthz-port": ["apps/orch-proxy/src/config.test.ts", "--healthz-port="],
      "metrics-port": ["apps/orch-proxy/src/config.test.ts", "--metrics-port="],
      // The family of the default addresses depends on it.
      "bind-address": ["apps/orch-proxy/src/config.test.ts", "bindAddress"],
    },
    // The kernel is not to be changed by the start that these tests watch.
    fields: {
      "conntrack.maxPerCore": [proxyKernel, "maxPerCore"],
      "conntrack.min": [proxyKernel, "nf_conntrack_max"],
      "conntrack.tcpEstablishedTimeout": [proxyKernel, "tcpEstablishedTimeout"],
      "conntrack.tcpCloseWaitTimeout": [proxyKernel, "tcpCloseWaitTimeout"],
      "clientConnection.orchconfig": ["tools/docs/src/effects/samples.ts", "orchconfig:"],
      featureGates: ["tools/docs/src/warnings.test.ts", "orch-proxy", "feature gate"],
    },
  },
  orchlet: {
    flags: {
      ...logs,
      config: ["apps/orchlet/test/config-errors.test.ts", "--config="],
      // No provider is built in, so any file is refused.
      "cloud-config": ["apps/orchlet/src/node/cloud-identity.test.ts", "/etc/cloud.conf"],
      "maximum-dead-containers-per-container": [housekeeping, "deadContainersPerContainer"],
      "maximum-dead-containers": [housekeeping, "deadContainers"],
      "minimum-container-ttl-duration": [housekeeping, "deadContainerMinAgeMs"],
      "pod-infra-container-image": [housekeeping, "sandboxImage"],
      "lock-file": [lockFile, "another program cannot lock the file"],
      "exit-on-lock-contention": [lockFile, "contended"],
      "image-credential-provider-config": [credentialProviders, "providers"],
      "image-credential-provider-bin-dir": [credentialProviders, "binDir"],
    },
    fields: orchletFields,
  },
};
