import { z } from "zod";

/**
 * The file of `--admission-control-config-file`: where each admission plugin finds its configuration. Its form is the
 * same in both versions.
 */
export const admissionConfigurationSchema = z.strictObject({
  apiVersion: z.enum(["apiserver.config.o8s.io/v1", "apiserver.o8s.io/v1alpha1"]),
  kind: z.literal("AdmissionConfiguration"),
  plugins: z
    .array(
      z.strictObject({
        /** Name of the plugin, such as `PodSecurity`. */
        name: z.string().min(1),
        /** A file with the configuration, relative to the folder of this one. `configuration` has precedence. */
        path: z.string().optional(),
        /** The configuration itself; the plugin checks it against its own schema. */
        configuration: z.record(z.string(), z.unknown()).nullish(),
      }),
    )
    .nullish(),
});
