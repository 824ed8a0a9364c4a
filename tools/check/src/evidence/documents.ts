import { auditPolicySchema, encryptionConfigurationSchema, loadConfigFile } from "@orchernetes/config";
import { certificateIdentity, parseCertificates } from "@orchernetes/tls";
import type { DaemonFacts, Evidence, Seen } from "./evidence.ts";

/** The content of a file that a flag names; undefined if there is none, or it cannot be read on this host. */
async function read<T>(
  daemon: DaemonFacts | undefined,
  flag: string,
  load: (path: string) => Promise<T>,
): Promise<Seen<T> | undefined> {
  const path = daemon?.flags.get(flag);
  if (path === undefined || path === "") return undefined;
  try {
    return { value: await load(path), source: `file ${path} of --${flag}` };
  } catch {
    return undefined;
  }
}

/** The files of the API server that controls look into. Keys of the encryption configuration are read, and never shown. */
export async function readDocuments(
  apiserver: DaemonFacts | undefined,
): Promise<Pick<Evidence, "auditPolicy" | "encryption">> {
  return {
    auditPolicy: await read(apiserver, "audit-policy-file", (path) => loadConfigFile(path, auditPolicySchema)),
    encryption: await read(apiserver, "encryption-provider-config", async (path) => {
      const { resources } = await loadConfigFile(path, encryptionConfigurationSchema({ kmsV2: true, reload: false }));
      return resources;
    }),
  };
}

/** The organizations of a client certificate; undefined without one. */
export function organizationsOf(pem: string | Buffer | undefined, file: string): Seen<readonly string[]> | undefined {
  if (pem === undefined) return undefined;
  const [leaf] = parseCertificates(pem.toString(), file);
  return leaf && { value: certificateIdentity(leaf).organizations, source: `client certificate of ${file}` };
}
