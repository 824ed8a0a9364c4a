import { yamlError, yamlLibrary } from "@orchernetes/apimachinery";
import type { GroupResource } from "./stores.ts";

/** One provider as configured. */
export type ProviderConfig =
  | { readonly type: "identity" }
  | {
      readonly type: "aescbc" | "aesgcm" | "secretbox";
      readonly keys: readonly { readonly name: string; readonly secret: Buffer }[];
    }
  | { readonly type: "kms"; readonly name: string; readonly endpoint: string; readonly timeoutMs: number };

/** What one entry of `resources` says. */
export interface EncryptionEntry {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` (the core group) or `*.*`. */
  readonly resources: readonly string[];
  readonly providers: readonly ProviderConfig[];
}

/** A configuration file that cannot be used, with all its errors. */
class EncryptionConfigError extends Error {
  override readonly name = "EncryptionConfigError";
  /** One line each. */
  readonly errors: readonly string[];

  constructor(file: string, errors: readonly string[]) {
    super(`encryption configuration ${JSON.stringify(file)}: ${errors.join("; ")}`);
    this.errors = errors.map((error) => `${JSON.stringify(file)}: ${error}`);
  }
}

const KEY_SIZES = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] } as const;
const PROVIDER_TYPES = ["identity", "aescbc", "aesgcm", "secretbox", "kms"];
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const DEFAULT_TIMEOUT_MS = 3000;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads an `EncryptionConfiguration` (`apiserver.config.o8s.io/v1`) in YAML or JSON.
 *
 * @param kmsV2 whether providers outside the server may be used (gate KMSv2)
 * @throws EncryptionConfigError with every error, as a path and what would have been accepted; secrets are never part of it
 */
export function parseEncryptionConfig(text: string, file: string, kmsV2: boolean): readonly EncryptionEntry[] {
  const errors: string[] = [];
  let root: unknown;
  try {
    root = yamlLibrary().parse(text, {
      // A warning would be printed with the line that it is about.
      logLevel: "error",
    });
  } catch (error) {
    throw new EncryptionConfigError(file, [`${yamlError(error)}; want YAML or JSON`]);
  }
  if (!isFields(root))
    throw new EncryptionConfigError(file, ["the file holds no object; want an EncryptionConfiguration"]);
  if (root.kind !== "EncryptionConfiguration" || root.apiVersion !== "apiserver.config.o8s.io/v1")
    errors.push("want kind EncryptionConfiguration of apiVersion apiserver.config.o8s.io/v1");
  only(root, ["kind", "apiVersion", "resources"], "", errors);
  const list = Array.isArray(root.resources) ? root.resources : [];
  if (list.length === 0) errors.push("resources: at least one entry is needed");
  const seen: string[] = [];
  const kmsNames = new Set<string>();
  const entries = list.map((item, i) => entryOf(item, `resources[${i}]`, { errors, seen, kmsNames, kmsV2 }));
  if (errors.length > 0) throw new EncryptionConfigError(file, errors);
  return entries;
}

/** Whether an entry's name means the resource. */
export function namesResource(name: string, { group, plural }: GroupResource): boolean {
  if (name === "*.*") return true;
  if (name.startsWith("*.")) return group === name.slice(2);
  return name === (group === "" ? plural : `${plural}.${group}`);
}

interface Context {
  readonly errors: string[];
  /** Names of earlier entries. */
  readonly seen: string[];
  readonly kmsNames: Set<string>;
  readonly kmsV2: boolean;
}

function entryOf(item: unknown, path: string, context: Context): EncryptionEntry {
  const { errors, seen } = context;
  if (!isFields(item)) {
    errors.push(`${path}: want resources and providers`);
    return { resources: [], providers: [] };
  }
  only(item, ["resources", "providers"], path, errors);
  const resources = Array.isArray(item.resources) ? item.resources.map(String) : [];
  if (resources.length === 0) errors.push(`${path}.resources: at least one resource is needed`);
  for (const name of resources) {
    if (!/^(?:\*\.\*|\*\.[a-z0-9.-]*|[a-z0-9-]+(?:\.[a-z0-9.-]+)?)$/.test(name)) {
      errors.push(`${path}.resources: found ${JSON.stringify(name)}; want plural, plural.group, *.group, "*." or *.*`);
      continue;
    }
    const covering = seen.find((other) => other === name || covers(other, name));
    if (covering !== undefined)
      errors.push(`${path}.resources: ${JSON.stringify(name)} is already covered by ${JSON.stringify(covering)}`);
    seen.push(name);
  }
  const list = Array.isArray(item.providers) ? item.providers : [];
  if (list.length === 0) errors.push(`${path}.providers: at least one provider is needed`);
  const providers: ProviderConfig[] = [];
  for (const [i, one] of list.entries()) {
    const provider = providerOf(one, `${path}.providers[${i}]`, context);
    if (provider !== undefined) providers.push(provider);
  }
  return { resources, providers };
}

/** Whether a wildcard means all that another name means. */
function covers(wildcard: string, name: string): boolean {
  if (wildcard === "*.*") return true;
  if (!wildcard.startsWith("*.") || name === "*.*") return false;
  const dot = name.indexOf(".");
  return wildcard.slice(2) === (dot < 0 ? "" : name.slice(dot + 1));
}

function providerOf(item: unknown, path: string, { errors, kmsNames, kmsV2 }: Context): ProviderConfig | undefined {
  const [entry, ...others] = isFields(item) ? Object.entries(item) : [];
  const [type, settings] = entry ?? [];
  if (type === undefined || others.length > 0 || !PROVIDER_TYPES.includes(type)) {
    errors.push(`${path}: want exactly one of ${PROVIDER_TYPES.join(", ")}`);
    return undefined;
  }
  if (type === "identity") return { type };
  if (!isFields(settings)) {
    errors.push(`${path}.${type}: has no settings`);
    return undefined;
  }
  if (type === "kms" && !kmsV2)
    errors.push(`${path}.kms: needs feature gate KMSv2, which --feature-gates switches off`);
  if (type === "kms") return kmsOf(settings, `${path}.kms`, errors, kmsNames);
  const cipher = type as keyof typeof KEY_SIZES;
  only(settings, ["keys"], `${path}.${type}`, errors);
  const keys = Array.isArray(settings.keys) ? settings.keys : [];
  if (keys.length === 0) errors.push(`${path}.${type}.keys: at least one key is needed`);
  const names = new Set<string>();
  return {
    type: cipher,
    keys: keys.map((key: unknown, i) => {
      const at = `${path}.${type}.keys[${i}]`;
      const fields = isFields(key) ? key : {};
      const name = typeof fields.name === "string" ? fields.name : "";
      const text = typeof fields.secret === "string" ? fields.secret : "";
      const secret = Buffer.from(text, "base64");
      const sizes: readonly number[] = KEY_SIZES[cipher];
      if (name === "" || name.includes(":")) errors.push(`${at}.name: want a name without ":"`);
      if (names.has(name)) errors.push(`${at}.name: ${JSON.stringify(name)} is given twice`);
      names.add(name);
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) errors.push(`${at}.secret: is not base64`);
      else if (!sizes.includes(secret.length))
        errors.push(`${at}.secret: has ${secret.length} bytes; want ${sizes.join(", ")} for ${type}`);
      return { name, secret };
    }),
  };
}

function kmsOf(settings: Fields, path: string, errors: string[], names: Set<string>): ProviderConfig {
  only(settings, ["apiVersion", "name", "endpoint", "cachesize", "timeout"], path, errors);
  const { name, endpoint, timeout, apiVersion } = settings;
  if (apiVersion !== "v2") errors.push(`${path}.apiVersion: found ${JSON.stringify(apiVersion ?? "v1")}; want v2`);
  if (typeof name !== "string" || name === "" || name.includes(":"))
    errors.push(`${path}.name: want a name without ":"`);
  else if (names.has(name)) errors.push(`${path}.name: ${JSON.stringify(name)} is given twice`);
  else names.add(name);
  if (typeof endpoint !== "string" || !/^unix:\/\/.+/.test(endpoint))
    errors.push(`${path}.endpoint: want unix:///path/of/socket`);
  if (settings.cachesize !== undefined) errors.push(`${path}.cachesize: is not supported in v2`);
  const [, amount, unit] = DURATION.exec(String(timeout ?? "3s")) ?? [];
  const timeoutMs = unit === undefined ? DEFAULT_TIMEOUT_MS : Number(amount) * (UNIT_MS[unit] ?? 1);
  if (unit === undefined || timeoutMs <= 0)
    errors.push(`${path}.timeout: found ${JSON.stringify(timeout)}; want a duration such as 3s`);
  return { type: "kms", name: String(name), endpoint: String(endpoint), timeoutMs };
}

function only(fields: Fields, known: readonly string[], path: string, errors: string[]): void {
  for (const key of Object.keys(fields))
    if (!known.includes(key))
      errors.push(`${path === "" ? "" : `${path}.`}${key}: unknown field; known are ${known.join(", ")}`);
}
