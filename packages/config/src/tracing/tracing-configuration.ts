import { z } from "zod";
import { type DeepReadonly, int32 } from "../values.ts";

const schemes: ReadonlySet<string> = new Set(["dns", "unix", "unix-abstract"]);

/** The error of a collector's address; undefined when it is valid. Schemes are those of gRPC's name resolution. */
function endpointError(endpoint: string): string | undefined {
  const scheme = /^([a-z-]+):\/\//.exec(endpoint)?.[1];
  if (scheme !== undefined && !schemes.has(scheme)) {
    return `unsupported scheme ${JSON.stringify(scheme)}; want host:port, or an address that starts with dns://, unix:// or unix-abstract://`;
  }
  if (scheme !== undefined && endpoint.length > scheme.length + 3) return undefined;
  if (/^(?:\[[0-9a-fA-F:.%]+\]|[^\s:/[\]]+)(?::\d{1,5})?$/.test(endpoint)) return undefined;
  return "want host:port such as localhost:4317";
}

/** The fields that say where spans are sent and how many requests are sampled. */
export const tracingFields = {
  /** Address of the collector (OTLP over gRPC, without TLS). @default localhost:4317 */
  endpoint: z
    .string()
    .superRefine((endpoint, context) => {
      const message = endpointError(endpoint);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .optional(),
  /** How many of a million requests are sampled. A request with a `traceparent` header follows its caller's decision. @default 0 */
  samplingRatePerMillion: int32(0, 1_000_000).optional(),
};

/** The file of `--tracing-config-file` (KEP-647). */
export const tracingConfigurationSchema = z.strictObject({
  apiVersion: z.enum([
    "apiserver.config.o8s.io/v1beta1",
    "apiserver.config.o8s.io/v1alpha1",
    "apiserver.o8s.io/v1beta1",
    "apiserver.o8s.io/v1alpha1",
  ]),
  kind: z.literal("TracingConfiguration"),
  ...tracingFields,
});

/** Where spans are sent and how many requests are sampled. */
export type TracingConfiguration = DeepReadonly<
  Pick<z.output<typeof tracingConfigurationSchema>, "endpoint" | "samplingRatePerMillion">
>;
