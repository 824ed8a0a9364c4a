import { z } from "zod";
import { parseDuration } from "../duration.ts";
import { quoteValue } from "../quote-value.ts";
import { always, fieldOf, isObject, list, listOf, mapping, prefixName, reportRepeated } from "./checks.ts";

/** One provider as configured. */
export type ProviderConfig =
  | { readonly type: "identity" }
  | {
      readonly type: "aescbc" | "aesgcm" | "secretbox";
      readonly keys: readonly { readonly name: string; readonly secret: Buffer }[];
    }
  | { readonly type: "kms"; readonly name: string; readonly endpoint: string; readonly timeoutMs: number };

/** Lengths that a secret may have, in bytes. */
const SECRET_BYTES = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] } as const;
type Cipher = keyof typeof SECRET_BYTES;

const TYPES: readonly string[] = ["identity", "aescbc", "aesgcm", "secretbox", "kms"];
const DEFAULT_TIMEOUT_MS = 3000;

const secret = (cipher: Cipher) =>
  z.string("want base64").transform((text, context) => {
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
      apiVersion: z.literal("v2", { error: ({ input }) => `found ${quoteValue(input ?? "v1")}; want v2` }),
      name: prefixName(),
      endpoint: z.string("want unix:///path/of/socket").regex(/^unix:\/\/.+/, "want unix:///path/of/socket"),
      cachesize: z.undefined("is not supported in v2").optional(),
      timeout: timeout().optional(),
    },
    "has no settings",
  )
    .superRefine((_, context) => {
      if (!kmsV2) context.addIssue("needs feature gate KMSv2, which --feature-gates switches off");
    }, always)
    .optional();

const hasOneType = (value: unknown): boolean => {
  const [type, ...others] = isObject(value) ? Object.keys(value) : [];
  return type !== undefined && others.length === 0 && TYPES.includes(type);
};

/** A provider: a mapping with one field, whose name is the type. */
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
      return { type: "kms", name: kms.name, endpoint: kms.endpoint, timeoutMs: kms.timeout ?? DEFAULT_TIMEOUT_MS };
    });
}

/** The name of a provider outside the server, whether or not it was read without errors. */
export const kmsName = (provider: unknown): unknown =>
  fieldOf(fieldOf(provider, "type") === "kms" ? provider : fieldOf(provider, "kms"), "name");
