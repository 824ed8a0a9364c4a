import {
  type AbacPolicyFile,
  parseAbacPolicyFile,
  parseTokenFile,
  parseVerifyingKeys,
  type SigningKey,
  signingKeyOf,
  type VerifyingKey,
} from "@orchernetes/auth";
import { loadClientConfig } from "@orchernetes/client";
import { flagFile, type NamedFile, type NamedFiles, readServingFiles, type ServingFiles } from "@orchernetes/component";
import type { AuditPolicyConfiguration, EgressSelection, TracingConfiguration } from "@orchernetes/config";
import { readEgressSelector } from "./egress/read-egress-selector.ts";
import type { Flags } from "./flags/index.ts";
import { readTracingConfig } from "./tracing/read-tracing-config.ts";
import type { ReviewEndpoint } from "./webhook/review-client.ts";

/** What the files say that flags name; undefined where none is named. */
export interface ConfigFiles {
  readonly serving: ServingFiles;
  /** The key named, else that of the serving certificate. */
  readonly signingKey: SigningKey | undefined;
  readonly verifyingKeys: readonly VerifyingKey[];
  /** How the server shows itself to extension servers. */
  readonly proxyClient: { readonly certPem: string; readonly keyPem: string } | undefined;
  readonly tracing: TracingConfiguration | undefined;
  /** What mode ABAC decides by. */
  readonly abac: AbacPolicyFile;
  /** The service that mode Webhook asks. */
  readonly authorizationWebhook: ReviewEndpoint | undefined;
  /** The webhook that authenticates tokens. */
  readonly tokenWebhook: ReviewEndpoint | undefined;
  /** Authorities of the OpenID Connect issuer, PEM. */
  readonly oidcCa: string | undefined;
  readonly auditPolicy: AuditPolicyConfiguration | undefined;
  /** How connections to others are made; those of absent selections are made directly. */
  readonly egress: readonly EgressSelection[];
}

/**
 * Reads every file that a flag names; errors are added to those of `files`.
 * @param kmsV2 whether the encryption configuration may name providers outside the server
 */
export async function readConfigFiles(flags: Flags, files: NamedFiles, kmsV2: boolean): Promise<ConfigFiles> {
  const named = (name: keyof Texts) => flagFile(flags as Texts, name);
  const serving = await readServingFiles(files, flags, "apiserver");
  const tokens = named("token-auth-file");
  await files.text(tokens, (text) => parseTokenFile(text, JSON.stringify(tokens.path)));
  const signing = await files.privateKey(named("service-account-signing-key-file"));
  const ownKey = flags["service-account-signing-key-file"] !== "";
  const key = ownKey ? signing?.key : serving.pair?.key;
  const source = named(ownKey ? "service-account-signing-key-file" : "tls-private-key-file");
  const signingKey = key && (await files.check(source, (path) => signingKeyOf(key, JSON.stringify(path))));
  const verifyingKeys: VerifyingKey[] = [];
  for (const path of flags["service-account-key-file"]) {
    const file = { from: "--service-account-key-file", path };
    const parse = (pem: string) => parseVerifyingKeys(pem, JSON.stringify(path));
    verifyingKeys.push(...((await files.text(file, parse, "PEM file")) ?? []));
  }
  const policies = named("authorization-policy-file");
  const abac = await files.text(policies, (text) => parseAbacPolicyFile(text, JSON.stringify(policies.path)));
  const authorizationWebhook = await readEndpoint(files, named("authorization-webhook-config-file"));
  const encryption = named("encryption-provider-config");
  if (encryption.path !== "") {
    const reload = flags["encryption-provider-config-automatic-reload"];
    const { parseEncryptionConfig } = await import("./storage/encryption-config.ts");
    await files.text(encryption, (text) => parseEncryptionConfig(text, encryption.path, { kmsV2, reload }));
  }
  await files.bundle(named("etcd-cafile"));
  await files.pair(named("etcd-certfile"), named("etcd-keyfile"));
  await files.bundle(named("orchlet-certificate-authority"));
  await files.pair(named("orchlet-client-certificate"), named("orchlet-client-key"));
  const proxyClient = await files.pair(named("proxy-client-cert-file"), named("proxy-client-key-file"));
  const tracing = await readTracingConfig(flags["tracing-config-file"]);
  files.errors.push(...tracing.errors);
  const tokenWebhook = await readEndpoint(files, named("authentication-token-webhook-config-file"));
  const oidcCa = await files.bundle(named("oidc-ca-file"));
  const auditPolicy = await files.check(named("audit-policy-file"), readAuditPolicy);
  const auditWebhook = named("audit-webhook-config-file");
  if (auditWebhook.path !== "") await files.client(auditWebhook, () => loadClientConfig(auditWebhook.path));
  const egress = await readEgressSelector(named("egress-selector-config-file"), files);
  return {
    egress,
    tokenWebhook,
    oidcCa: oidcCa?.pem,
    serving,
    signingKey,
    verifyingKeys,
    proxyClient,
    tracing: tracing.configuration,
    authorizationWebhook,
    abac: abac ?? { policies: [], warnings: [] },
    auditPolicy,
  };
}

async function readAuditPolicy(path: string): Promise<AuditPolicyConfiguration> {
  // Loaded for those who name such a file: it costs start-up time.
  const [{ parseConfig, readConfigDocument }, { auditPolicySchema }] = await Promise.all([
    import("@orchernetes/config/load-config-file"),
    import("@orchernetes/config/audit-policy"),
  ]);
  const source = JSON.stringify(path);
  return parseConfig(await readConfigDocument(path, source), auditPolicySchema, source);
}

/** The flags that are single texts. */
type Texts = { readonly [K in keyof Flags as Flags[K] extends string ? K & string : never]: string };

/** The service that a client configuration file names. */
async function readEndpoint(files: NamedFiles, file: NamedFile): Promise<ReviewEndpoint | undefined> {
  if (file.path === "") return undefined;
  const { endpointOfConfigFile } = await import("./webhook/endpoint-of-config-file.ts");
  return files.client(file, () => endpointOfConfigFile(file.path));
}
