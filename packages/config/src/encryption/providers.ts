import { z } from "zod";
import { parseDuration } from "../duration.ts";
import { quoteValue } from "../quote-value.ts";
import { always, fieldOf, isObject, list, listOf, mapping, prefixName, reportRepeated } from "./checks.ts";

/** One provider as configured. `identity` stores plain text. */
export type ProviderConfig =
  | { readonly type: "identity" }
  | {
      readonly type: "aescbc" | "aesgcm" | "secretbox";
      readonly keys: readonly { readonly name: string; readonly secret: Buffer }[];
    }
  | KmsConfig;

/** A key management service on a unix socket. */
interface KmsConfig {
  readonly type: "kms";
  readonly apiVersion: "v1" | "v2";
  readonly name: string;
  readonly endpoint: string;
  readonly timeoutMs: number;
  /** Number of data keys that are cached; negative: no cache. Version 2 ignores it. */
  readonly cacheSize: number;
}

/** Lengths that a secret may have, in bytes. */
const SECRET_BYTES = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] } as const;
type Cipher = keyof typeof SECRET_BYTES;

const TYPES: readonly string[] = ["identity", "aescbc", "aesgcm", "secretbox", "kms"];
const DEFAULT_TIMEOUT_MS = 3000;
const DEFAULT_CACHE_SIZE = 1000;
const MAX_CACHE_SIZE = 2 ** 31 - 1;

const secret = (cipher: Cipher) =>
  z.string("want base64").transform((text, context) => {
    // Buffer ignores characters that are not base64, so the text is checked as well.
    const bytes = Buffer.from(text, "base64");
    const lengths: readonly number[] = SECRET_BYTES[cipher];
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) context.addIssue("is not base64");
    else if (!lengths.includes(bytes.length))
      context.addIssue(`has ${bytes.length} bytes; want ${lengths.join(", ")} for ${cipher}`);
    return bytes;
  });

const cipherSettings = (cipher: Cipher) => {
  const key = mapping({ name: prefixName(), secret: secret(cipher) }, "want name and secret");
  const keys = list(key, "at least one key is needed").superRefine((given: unknown, context) => {
    const names = listOf(given).map((one, i) => ({ name: fieldOf(one, "name"), path: [i, "name"] }));
    reportRepeated(names, context);
  }, always);
  return mapping({ keys }, "has no settings").optional();
};

const timeout = () =>
  z.unknown().transform((value, context) => {
    const timeoutMs = typeof value === "string" ? parseDuration(value) : undefined;
    if (timeoutMs !== undefined && timeoutMs > 0) return timeoutMs;
    context.addIssue(`found ${quoteValue(value)}; want a duration such as 3s`);
    return z.NEVER;
  });

const kmsSettings = (kmsV2: boolean) =>
  mapping(
    {
      apiVersion: z
        .enum(["v1", "v2"], { error: ({ input }) => `found ${quoteValue(input)}; want v1 or v2` })
        .default("v1"),
      name: z.string("want a name").min(1, "want a name"),
      endpoint: z.string("want unix:///path/of/socket").regex(/^unix:\/\/.+/, "want unix:///path/of/socket"),
      cachesize: z.unknown().optional(),
      timeout: timeout().optional(),
    },
    "has no settings",
  )
    .superRefine((given: unknown, context) => {
      if (fieldOf(given, "apiVersion") === "v2") checkV2(given, kmsV2, context);
      else checkCacheSize(fieldOf(given, "cachesize"), context);
    }, always)
    .optional();

function checkV2(given: unknown, kmsV2: boolean, context: z.RefinementCtx): void {
  if (!kmsV2) context.addIssue("needs feature gate KMSv2, which --feature-gates switches off");
  const report = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
  // In v1 the name is the last part of the prefix, whatever is in it.
  if (String(fieldOf(given, "name")).includes(":")) report("name", 'want a name without ":"');
  if (fieldOf(given, "cachesize") !== undefined) report("cachesize", "is not supported in v2");
}

function checkCacheSize(size: unknown, context: z.RefinementCtx): void {
  if (size === undefined || (Number.isInteger(size) && size !== 0 && Math.abs(Number(size)) <= MAX_CACHE_SIZE)) return;
  const message = `found ${quoteValue(size)}; want a positive number, or a negative one to disable the cache`;
  context.addIssue({ code: "custom", path: ["cachesize"], message });
}

const hasOneType = (value: unknown): boolean => {
  const [type, ...others] = isObject(value) ? Object.keys(value) : [];
  return type !== undefined && others.length === 0 && TYPES.includes(type);
};

/**
 * A schema for a provider: a mapping with one field, whose name is the type.
 *
 * @param kmsV2 whether version 2 of key management services is enabled
 */
export function provider(kmsV2: boolean) {
  const settings = z.strictObject({
    identity: z.unknown().optional(),
    aescbc: cipherSettings("aescbc"),
    aesgcm: cipherSettings("aesgcm"),
    secretbox: cipherSettings("secretbox"),
    kms: kmsSettings(kmsV2),
  });
  return z
    .custom<z.input<typeof settings>>(hasOneType, { error: `want exactly one of ${TYPES.join(", ")}`, abort: false })
    .pipe(settings)
    .transform(({ aescbc, aesgcm, secretbox, kms }): ProviderConfig => {
      if (aescbc !== undefined) return { type: "aescbc", keys: aescbc.keys };
      if (aesgcm !== undefined) return { type: "aesgcm", keys: aesgcm.keys };
      if (secretbox !== undefined) return { type: "secretbox", keys: secretbox.keys };
      if (kms === undefined) return { type: "identity" };
      const { apiVersion, name, endpoint, timeout: timeoutMs = DEFAULT_TIMEOUT_MS, cachesize } = kms;
      const cacheSize = typeof cachesize === "number" ? cachesize : DEFAULT_CACHE_SIZE;
      return { type: "kms", apiVersion, name, endpoint, timeoutMs, cacheSize };
    });
}

/**
 * The settings of a key management service in a provider, in its configured or its parsed form; undefined for other
 * providers. The checks across entries also run over entries that have errors.
 */
export const kmsOf = (provider: unknown): unknown =>
  fieldOf(provider, "type") === "kms" ? provider : fieldOf(provider, "kms");
