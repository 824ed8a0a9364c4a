/**
 * The configuration files of the components: zod schemas with every field, default and limit, and strict loading.
 *
 * {@link loadConfigFile} reads a YAML or JSON file, overrides fields by the settings of flags, and returns the typed result with
 * defaults filled in. It throws one {@link ConfigFileError} with all errors; each names the file, the path in the document, the
 * value and what would be accepted. Unknown and repeated fields are errors. Durations are texts such as `1m30s` in files and
 * milliseconds in results; `@orchernetes/config/duration` converts them.
 *
 * @example
 * ```ts
 * import { loadConfigFile, orchletConfigurationSchema } from "@orchernetes/config";
 *
 * const config = await loadConfigFile("/etc/orchlet.yaml", orchletConfigurationSchema, new Map([["maxPods", 50]]));
 * config.maxPods; // 50, whatever the file says
 * config.syncFrequency; // 60000 unless the file sets it
 * ```
 *
 * @module
 */
export * from "./admission/index.ts";
export { type AuditPolicyConfiguration, auditPolicySchema } from "./audit/audit-policy.ts";
export {
  type CloudControllerManagerConfiguration,
  cloudControllerManagerConfigurationSchema,
} from "./controller-manager/cloud-controller-manager-configuration.ts";
export {
  defaultLeaderMigration,
  type LeaderMigrationConfiguration,
  leaderMigrationConfigurationSchema,
} from "./controller-manager/leader-migration-configuration.ts";
export {
  type OrchControllerManagerConfiguration,
  orchControllerManagerConfigurationSchema,
} from "./controller-manager/orch-controller-manager-configuration.ts";
export { clientConnection, debugging, leaderElection } from "./controller-manager/shared.ts";
export {
  type CredentialProviderConfig,
  credentialProviderConfigSchema,
} from "./credential-provider/credential-provider-config.ts";
export { formatDuration, parseDuration } from "./duration.ts";
export {
  type EgressConnection,
  type EgressSelection,
  type EgressSelectionName,
  type EgressTlsFiles,
  type EgressTransport,
  egressSelectorConfigurationSchema,
} from "./egress/egress-selector-configuration.ts";
export {
  type EncryptionEntry,
  type EncryptionSchemaOptions,
  encryptionConfigurationSchema,
} from "./encryption/encryption-configuration.ts";
export type { ProviderConfig } from "./encryption/providers.ts";
export { issueLines } from "./issue-lines.ts";
export {
  ConfigFileError,
  loadConfigFile,
  parseConfig,
  parseConfigText,
  readConfigDocument,
} from "./load-config-file.ts";
export {
  type OrchletConfiguration,
  orchletConfigurationSchema,
  orchletFieldNames,
  orchletGateErrors,
  orchletGates,
} from "./orchlet/orchlet-configuration.ts";
export { orchletDocument } from "./orchlet/orchlet-document.ts";
export { overlay } from "./overlay.ts";
export { isCidr } from "./proxy/addresses.ts";
export { type HostPort, parseHostPort } from "./proxy/host-port.ts";
export { type OrchProxyConfiguration, orchProxyConfigurationSchema } from "./proxy/orch-proxy-configuration.ts";
export { type TracingConfiguration, tracingConfigurationSchema } from "./tracing/tracing-configuration.ts";
export type { DeepReadonly } from "./values.ts";
export * as values from "./values.ts";
