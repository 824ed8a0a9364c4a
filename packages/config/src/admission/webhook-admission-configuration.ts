import { isAbsolute } from "node:path";
import { z } from "zod";
import type { DeepReadonly } from "../values.ts";

/** The configuration of admission plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook. */
export const webhookAdmissionConfigurationSchema = z
  .strictObject({
    apiVersion: z.enum(["apiserver.config.o8s.io/v1", "apiserver.config.o8s.io/v1alpha1"]),
    kind: z.enum(["WebhookAdmissionConfiguration", "WebhookAdmission"]),
    /** Client configuration file, whose users are chosen by the host name of the webhook. The path must be absolute. */
    orchConfigFile: z
      .string()
      .default("")
      .refine((path) => path === "" || isAbsolute(path), "want an absolute path"),
  })
  .superRefine(({ apiVersion, kind }, context) => {
    const want = apiVersion.endsWith("/v1") ? "WebhookAdmissionConfiguration" : "WebhookAdmission";
    if (kind !== want) context.addIssue({ code: "custom", path: ["kind"], message: `want ${JSON.stringify(want)}` });
  });

/** How the server authenticates itself to admission webhooks. */
export type WebhookAdmissionConfiguration = DeepReadonly<
  Pick<z.output<typeof webhookAdmissionConfigurationSchema>, "orchConfigFile">
>;
