/**
 * What every daemon shares.
 *
 * - **Start**: {@link runDaemon} turns a command line into an exit code; {@link flagSection} and {@link parseFlags} make typed
 *   flag tables with the conventions of the original components, shared sections such as {@link servingFlags} included.
 * - **Report**: {@link createLogger}, {@link createMetrics}, {@link createHealth}.
 * - **Serve**: {@link createSecureServing} serves HTTP/1.1 and HTTP/2 on one port with certificates that reload and
 *   {@link readBody} reads bodies on both. The port of a daemon is in `@orchernetes/daemon-server`.
 * - **Protect**: {@link guard} puts the authenticators and authorizers of `@orchernetes/auth` before a handler.
 * - **Check**: {@link NamedFiles} reads the files that flags and settings name and reports all errors; {@link readServingFiles} does so for
 *   the secure port.
 * - **Switch**: {@link parseFeatureGates} over {@link features}.
 *
 * Nothing here is global: loggers, metrics, clocks and signals are created by the program and passed on.
 *
 * @example
 * ```ts
 * import { flagSection, logFlags, runDaemon } from "@orchernetes/component";
 *
 * const greeting = flagSection("Greeting", { name: { type: "string", default: "world", help: "Name to greet." } });
 * process.exitCode = await runDaemon({
 *   name: "greeter",
 *   description: "Greets once.",
 *   flags: { ...greeting, ...logFlags },
 *   configure: (flags) => ({ text: `hello, ${flags.name}` }),
 *   run: async ({ text }, { logger }) => logger.info(text),
 * });
 * ```
 *
 * @module
 */
export { ConfigurationError, configurationErrors } from "./configuration-error.ts";
export { type DebugSocketOptions, serveDebugSocket } from "./debug/debug-socket.ts";
export { createPprofHandler, type PprofHandler, type PprofOptions } from "./debug/pprof-handler.ts";
export { serveVerbosity, verbosityPath } from "./debug/verbosity-handler.ts";
export {
  type Feature,
  type FeatureGates,
  type FeatureResult,
  type FeatureStage,
  type FeatureTable,
  parseFeatureGates,
} from "./features/feature-gates.ts";
export { type FeatureName, features } from "./features/features.ts";
export { idleGateWarnings } from "./features/idle-gates.ts";
export { errorsByFlag } from "./flags/field-errors.ts";
export {
  type Flag,
  type FlagOf,
  type FlagSection,
  type FlagTable,
  type FlagValues,
  fieldsWithoutEffectOf,
  flagSection,
} from "./flags/flag.ts";
export { globalFlags } from "./flags/global-flags.ts";
export { defaultNote, renderHelp } from "./flags/help.ts";
export { defaultValue, type ParseResult, type Program, parseFlags } from "./flags/parse-flags.ts";
export { serverAddressWanted } from "./flags/server-address.ts";
export { contentTypeFlag } from "./flags/shared/content-type-flag.ts";
export { controllerManagerFlags } from "./flags/shared/controller-manager-flags.ts";
export { delegatedAuthFlags } from "./flags/shared/delegated-auth-flags.ts";
export { featureGateFlags } from "./flags/shared/feature-gate-flags.ts";
export { leaderElectionFlags } from "./flags/shared/leader-election-flags.ts";
export { logFlags, logFlagsWith } from "./flags/shared/log-flags.ts";
export { metricFlags } from "./flags/shared/metric-flags.ts";
export { servingFlags, tlsFlags } from "./flags/shared/serving-flags.ts";
export { statusTable } from "./flags/status-table.ts";
export { type FlagValue, splitList, type ValueByType } from "./flags/values.ts";
export { type Check, logCheck, type PostStartHook, pingCheck, postStartHook, shutdownCheck } from "./health/check.ts";
export {
  createHealth,
  type Health,
  type HealthAnswer,
  type HealthOptions,
  type Probe,
  probes,
  sliMetrics,
} from "./health/create-health.ts";
export { createLogger, type LoggerOptions, type LogSettings, type RootLogger } from "./logs/create-logger.ts";
export { errorText, isSecretName, Redacted } from "./logs/format.ts";
export { createLineSink, type LineSink } from "./logs/line-sink.ts";
export {
  createMetrics,
  defaultBuckets,
  exponentialBuckets,
  linearBuckets,
  type Metrics,
  type MetricsOptions,
  metricsContentType,
} from "./metrics/create-metrics.ts";
export { createDaemonMetrics } from "./metrics/daemon-metrics.ts";
export { addFeatureMetrics } from "./metrics/feature-metrics.ts";
export type { InstrumentOptions, Stability } from "./metrics/instrument.ts";
export type { Counter, Gauge, GaugeOptions, Histogram, MetricDescription } from "./metrics/instruments.ts";
export { addProcessMetrics } from "./metrics/process-metrics.ts";
export { type RestClientMetrics, restClientMetrics } from "./metrics/rest-client-metrics.ts";
export { type WorkInProgress, type WorkQueueMetrics, workQueueMetrics } from "./metrics/work-queue-metrics.ts";
export { flagFile, type NamedFile, NamedFiles } from "./named-files.ts";
export { type Daemon, type DaemonContext, type ProcessIo, runDaemon } from "./run-daemon.ts";
export { endLostConnections } from "./serving/end-lost-connections.ts";
export { followCaFile } from "./serving/follow-ca-file.ts";
export { type GuardOptions, guard } from "./serving/guard.ts";
export { respond, targetOf } from "./serving/http.ts";
export { knownClients } from "./serving/known-clients.ts";
export { createPlainServing, type PlainServing } from "./serving/plain-serving.ts";
export { BodyTooLargeError, readBody } from "./serving/read-body.ts";
export { refuseBadHttp } from "./serving/refuse-bad-http.ts";
export { createSecureServing, type SecureServing, type SecureServingOptions } from "./serving/secure-serving.ts";
export {
  loadServingCertificates,
  localHosts,
  type ServingCertificates,
  type TlsOptions,
} from "./serving/serving-certificates.ts";
export { readServingFiles, type ServingFileFlags, type ServingFiles } from "./serving/serving-files.ts";
export { cipherList, cipherSuiteNames, tlsVersion, tlsVersionNames } from "./serving/tls-names.ts";
export type { UnknownLimits } from "./serving/unknown-connections.ts";
export { type RootSignal, rootSignal, type SignalSource } from "./signals.ts";
export { parseSniPair, type SniPair } from "./sni-pair.ts";
export { platform, type VersionInfo, version, versionTexts } from "./version.ts";
