import { z } from "zod";
import { type DeepReadonly, duration } from "../values.ts";

/** One credential provider: a program in the folder of `--image-credential-provider-bin-dir`. */
const provider = z.strictObject({
  name: z
    .string()
    .min(1)
    .refine(
      // The name becomes a path below the folder of plugins, which it must not leave.
      (name) => !/[/\\\s]/.test(name) && name !== "." && name !== "..",
      "want the name of a program, without a path",
    ),
  matchImages: z
    .array(
      z
        .string()
        .min(1)
        .refine(
          // Globs in a path could match images of other teams in the same registry.
          (pattern) => !pattern.includes("://") && !/[*?]/.test(pattern.replace(/^[^/:]*/, "")),
          "want a registry such as *.example.com:5000/team, with globs in the domain only",
        ),
    )
    .min(1),
  // How long credentials are cached if the output of the program does not say; 0 disables the cache.
  defaultCacheDuration: duration({ minMs: 0 }),
  apiVersion: z.enum([
    "credentialprovider.orchlet.o8s.io/v1",
    "credentialprovider.orchlet.o8s.io/v1beta1",
    "credentialprovider.orchlet.o8s.io/v1alpha1",
  ]),
  args: z.array(z.string()).default([]),
  env: z.array(z.strictObject({ name: z.string().min(1), value: z.string() })).default([]),
});

/** The file of `--image-credential-provider-config`: which programs supply credentials for which images (KEP-2133). */
export const credentialProviderConfigSchema = z
  .strictObject({
    apiVersion: z.enum(["orchlet.config.o8s.io/v1beta1", "orchlet.config.o8s.io/v1", "orchlet.config.o8s.io/v1alpha1"]),
    kind: z.literal("CredentialProviderConfig"),
    providers: z.array(provider).min(1),
  })
  .superRefine(({ providers }, context) => {
    const names = providers.map(({ name }) => name);
    names.forEach((name, i) => {
      if (names.indexOf(name) === i) return;
      context.addIssue({ code: "custom", path: ["providers", i, "name"], message: "want every name once" });
    });
  });

/** The programs that supply credentials, and the images they are for. Durations are in milliseconds. */
export type CredentialProviderConfig = DeepReadonly<z.output<typeof credentialProviderConfigSchema>>;
