import { readFileSync } from "node:fs";
import { ConfigFileError, parseConfig, parseConfigText } from "@orchernetes/config";
import { messageOf } from "@orchernetes/kernel";
import { z } from "zod";

/** Where the process of a provider listens, and how it is trusted: the contents of `--cloud-config` for provider grpc. */
export interface GrpcSettings {
  /** `unix:///path` or `https://host:port`. */
  readonly endpoint: string;
  /** Files in PEM; for `https` all of them. */
  readonly tls?: { readonly caFile: string; readonly certFile: string; readonly keyFile: string } | undefined;
}

const absolute = z.string().regex(/^\//, "want an absolute path");

const schema = z
  .strictObject({
    endpoint: z
      .string()
      .regex(/^(unix:\/\/\/.{1,100}|https:\/\/[^/\s]+:\d{1,5})$/, "want unix:///path or https://host:port"),
    tls: z.strictObject({ caFile: absolute, certFile: absolute, keyFile: absolute }).optional(),
  })
  .superRefine(({ endpoint, tls }, context) => {
    const isRemote = endpoint.startsWith("https:");
    // A process that anybody can pose as decides which nodes are deleted, and learns of every service.
    if (isRemote && tls === undefined)
      context.addIssue({ code: "custom", path: ["tls"], message: "want it for https" });
    if (!isRemote && tls !== undefined)
      context.addIssue({ code: "custom", path: ["tls"], message: "want none for unix" });
  });

/** Parses the contents of `--cloud-config`: YAML or JSON. */
export function parseGrpcSettings(
  config: string | undefined,
): { readonly settings: GrpcSettings } | { readonly errors: readonly string[] } {
  if (config === undefined)
    return { errors: ["provider grpc needs a file with the endpoint of the provider's process"] };
  try {
    const settings = parseConfig(parseConfigText(config, "provider grpc"), schema, "provider grpc");
    const errors = Object.values(settings.tls ?? {}).flatMap(unreadable);
    return errors.length > 0 ? { errors } : { settings };
  } catch (error) {
    return { errors: error instanceof ConfigFileError ? error.errors : [messageOf(error)] };
  }
}

function unreadable(path: string): readonly string[] {
  try {
    readFileSync(path);
    return [];
  } catch (error) {
    return [`${JSON.stringify(path)} cannot be read: ${messageOf(error)}`];
  }
}
