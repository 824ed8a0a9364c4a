import { z } from "zod";
import { always, fieldOf, isObject, list, listOf, mapping } from "./checks.ts";
import { kmsOf, type ProviderConfig, provider } from "./providers.ts";

/** One entry of `resources`: the resources it is for and how they are encrypted. */
export interface EncryptionEntry {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` (the core group) or `*.*`. */
  readonly resources: readonly string[];
  /** The first one encrypts; the others only decrypt, which makes the rotation of keys possible. */
  readonly providers: readonly ProviderConfig[];
}

/** What {@link encryptionConfigurationSchema} depends on. */
export interface EncryptionSchemaOptions {
  /** Whether providers outside the server may be used (feature gate KMSv2). */
  readonly kmsV2: boolean;
  /** Whether the file is reloaded when it changes: then the names of version-1 services must be unique, too. */
  readonly reload: boolean;
}

const RESOURCE = /^(?:\*\.\*|\*\.[a-z0-9.-]*|[a-z0-9-]+(?:\.[a-z0-9.-]+)?)$/;

const resource = z.string("want text").regex(RESOURCE, {
  error: ({ input }) => `found ${JSON.stringify(input)}; want plural, plural.group, *.group, "*." or *.*`,
});

const entry = ({ kmsV2 }: EncryptionSchemaOptions) =>
  mapping(
    {
      resources: list(resource, "at least one resource is needed"),
      providers: list(provider(kmsV2), "at least one provider is needed"),
    },
    "want resources and providers",
  );

/** Whether a wildcard means all that another name means. */
function covers(wildcard: string, name: string): boolean {
  if (wildcard === "*.*") return true;
  if (!wildcard.startsWith("*.") || name === "*.*") return false;
  const dot = name.indexOf(".");
  return wildcard.slice(2) === (dot < 0 ? "" : name.slice(dot + 1));
}

/**
 * Reports resources that an earlier name covers already, in the same entry or another. The first match is used, so a
 * later one would be ineffective, and its author would believe otherwise.
 */
function reportCovered(entries: readonly unknown[], context: z.RefinementCtx): void {
  const seen: string[] = [];
  for (const [i, one] of entries.entries())
    for (const [j, name] of listOf(fieldOf(one, "resources")).entries()) {
      if (typeof name !== "string" || !RESOURCE.test(name)) continue;
      const covering = seen.find((other) => other === name || covers(other, name));
      seen.push(name);
      if (covering === undefined) continue;
      const message = `${JSON.stringify(name)} is already covered by ${JSON.stringify(covering)}`;
      context.addIssue({ code: "custom", path: [i, "resources", j], message });
    }
}

/**
 * Reports key management services whose name an earlier one has. Two of version 1 may share it: it is one service of
 * several resources.
 */
function reportSharedNames(entries: readonly unknown[], reload: boolean, context: z.RefinementCtx): void {
  const seen = new Set<unknown>();
  for (const [i, one] of entries.entries())
    for (const [j, given] of listOf(fieldOf(one, "providers")).entries()) {
      const kms = kmsOf(given);
      const name = fieldOf(kms, "name");
      if (typeof name !== "string") continue;
      const unique = reload || fieldOf(kms, "apiVersion") === "v2";
      if (unique && seen.has(name)) {
        const path = [i, "providers", j, "kms", "name"];
        context.addIssue({ code: "custom", path, message: `${JSON.stringify(name)} is given twice` });
      }
      seen.add(name);
    }
}

/**
 * The file of `--encryption-provider-config` (`apiserver.config.o8s.io/v1`): which resources are encrypted in the
 * store, and by what. Its messages never quote a secret; `issueLines` writes them.
 */
export const encryptionConfigurationSchema = (options: EncryptionSchemaOptions) =>
  mapping(
    {
      kind: z.unknown(),
      apiVersion: z.unknown(),
      resources: list(entry(options), "at least one entry is needed").superRefine((given: unknown, context) => {
        reportCovered(listOf(given), context);
        reportSharedNames(listOf(given), options.reload, context);
      }, always),
    },
    "the file holds no object; want an EncryptionConfiguration",
  ).superRefine((document: unknown, context) => {
    if (!isObject(document)) return;
    if (document.kind !== "EncryptionConfiguration" || document.apiVersion !== "apiserver.config.o8s.io/v1")
      context.addIssue("want kind EncryptionConfiguration of apiVersion apiserver.config.o8s.io/v1");
  }, always);
