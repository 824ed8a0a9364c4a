import { z } from "zod";
import type { DeepReadonly } from "../values.ts";

/** Levels of the Pod Security Standards, from the weakest to the strictest. */
const level = () => z.enum(["privileged", "baseline", "restricted"]).default("privileged");
/** Version of the standards; "latest" follows the server, a pinned version keeps an upgrade from rejecting pods. */
const version = () =>
  z
    .string()
    .regex(/^(latest|v1\.(0|[1-9]\d*))$/, 'want "latest" or a version such as "v1.27"')
    .default("latest");

/** A list of names of the given form, none of which is repeated. */
const names = (form: RegExp, want: string) =>
  z
    .array(z.string().regex(form, want))
    .default([])
    .superRefine((list, context) => {
      for (const [index, name] of list.entries())
        if (list.indexOf(name) < index)
          context.addIssue({ code: "custom", path: [index], message: "want every name once" });
    });

const defaults = z.strictObject({
  enforce: level(),
  "enforce-version": version(),
  audit: level(),
  "audit-version": version(),
  warn: level(),
  "warn-version": version(),
});

const exemptions = z.strictObject({
  usernames: names(/./s, "want a name"),
  namespaces: names(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, "want the name of a namespace"),
  runtimeClasses: names(
    /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    "want the name of a runtime class",
  ),
});

/** The configuration of admission plugin PodSecurity. */
export const podSecurityConfigurationSchema = z.strictObject({
  apiVersion: z.enum([
    "pod-security.admission.config.o8s.io/v1",
    "pod-security.admission.config.o8s.io/v1beta1",
    "pod-security.admission.config.o8s.io/v1alpha1",
  ]),
  kind: z.literal("PodSecurityConfiguration"),
  /** The policy of namespaces without the labels `pod-security.orchernetes.io/*`. */
  defaults: defaults.prefault({}),
  /**
   * Requests that are not checked. A user exemption concerns requests of that user only: the pods of a user's
   * Deployment are created by its controller.
   */
  exemptions: exemptions.prefault({}),
});

/** The policy of namespaces that choose none, and who is exempt from all. */
export type PodSecurityConfiguration = DeepReadonly<
  Pick<z.output<typeof podSecurityConfigurationSchema>, "defaults" | "exemptions">
>;
