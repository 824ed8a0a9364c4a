import type { SettingsSource } from "./define-controller.ts";

/**
 * The authorities by which pods verify the API server, PEM: those of `--root-ca-file`, by default those by which this process
 * verifies it; undefined if there are none, or after an error.
 */
export async function rootCaOf({
  client,
  files,
  namedFile,
}: Pick<SettingsSource, "client" | "files" | "namedFile">): Promise<string | undefined> {
  const named = await files.bundle(namedFile("SAController.RootCAFile"));
  const tls = typeof client?.tls === "function" ? client.tls() : client?.tls;
  return named?.pem ?? tls?.ca?.toString();
}
