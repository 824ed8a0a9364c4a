import { flagFile, type NamedFiles } from "@orchernetes/component";
import type { Configuration } from "@orchernetes/component/configuration";
import { credentialProviderConfigSchema, loadConfigFile, type OrchletConfiguration } from "@orchernetes/config";
import type { Flags } from "./flags/index.ts";
import { PAIR_NAME } from "./flags/serving.ts";

/** Reads every file that flags or the configuration file name, but for the client configuration; errors go to `files`. */
export async function readNamedFiles(
  flags: Flags,
  settings: Configuration<OrchletConfiguration>,
  files: NamedFiles,
): Promise<void> {
  const file = settings.namedFile;
  const cert = file("tlsCertFile");
  const key = file("tlsPrivateKeyFile");
  await files.pair(cert, key);
  const certDir = flagFile(flags, "cert-dir");
  if (settings.value("serverTLSBootstrap") === true || settings.value("rotateCertificates") === true)
    await files.writableDirectory(certDir);
  else if (cert.path === "" && key.path === "" && settings.value("enableServer") !== false)
    await files.pairDirectory(certDir, PAIR_NAME);
  await files.bundle(file("authentication.x509.clientCAFile"));
  // Set only where somebody asks for it: a host may lack the usual one.
  await files.text(file("resolvConf"), (text) => text);
  const providers = flagFile(flags, "image-credential-provider-config");
  await files.check(providers, (path) => loadConfigFile(path, credentialProviderConfigSchema));
  await files.directory(flagFile(flags, "image-credential-provider-bin-dir"));
  await files.text(flagFile(flags, "cloud-config"), (text) => text);
  await files.writableDirectory(flagFile(flags, "root-dir"));
}
