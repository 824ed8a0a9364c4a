import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { type ClientConfig, loadClientConfig } from "@orchernetes/client";
import { flagFile, type NamedFiles } from "@orchernetes/component";
import type { Configuration } from "@orchernetes/component/configuration";
import {
  type CredentialProviderConfig,
  credentialProviderConfigSchema,
  loadConfigFile,
  type OrchletConfiguration,
} from "@orchernetes/config";
import { messageOf } from "@orchernetes/kernel";
import type { Flags } from "../flags/index.ts";
import { PAIR_NAME } from "../flags/serving.ts";
import type { CredentialProviderFiles } from "../images/credentials/credential-providers.ts";
import { type Bootstrap, clientStateOf, withoutCredentials } from "./bootstrap.ts";

/**
 * Reads the client configuration: that of `--orchconfig`, or, if that has no valid certificate and there is another to get one with,
 * that of `--bootstrap-orchconfig`, without its credentials.
 *
 * @returns no `api` for an agent on its own; errors go to `files`
 */
export async function readClientFiles(
  flags: Flags,
  files: NamedFiles,
): Promise<{ readonly api?: ClientConfig | undefined; readonly bootstrap?: Bootstrap }> {
  const { orchconfig: target, "bootstrap-orchconfig": source } = flags;
  if (target === "") {
    if (source !== "")
      files.errors.push(
        `--bootstrap-orchconfig: found ${JSON.stringify(source)} without --orchconfig; want the path of the file to write in --orchconfig`,
      );
    return {};
  }
  const load = (flag: "orchconfig" | "bootstrap-orchconfig") =>
    files.client(flagFile(flags, flag), () => loadClientConfig(flags[flag]));
  const state = clientStateOf(target, loadClientConfig, Date.now());
  if (source === "") {
    const before = files.errors.length;
    const api = await load("orchconfig");
    if (files.errors.length > before && state.type === "unusable")
      files.errors.push(
        "--bootstrap-orchconfig: not given; want a client configuration with which a new certificate can be requested, or a file of --orchconfig that can be used",
      );
    return { api };
  }
  if (state.type === "usable") return { api: await load("orchconfig") };
  await files.writableDirectory(flagFile(flags, "cert-dir"));
  const api = await load("bootstrap-orchconfig");
  if (api === undefined) return {};
  const reason = state.type === "missing" ? {} : { reason: state.reason };
  return { api: withoutCredentials(api), bootstrap: { source, target, ...reason } };
}

/**
 * Reads every file that flags or the configuration file name, but for the client configuration; errors go to `files`.
 *
 * @returns the credential providers, if both of their flags are given
 */
export async function readNamedFiles(
  flags: Flags,
  settings: Configuration<OrchletConfiguration>,
  files: NamedFiles,
): Promise<{ readonly credentialProviders?: CredentialProviderFiles | undefined }> {
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
  await files.writableDirectory(flagFile(flags, "root-dir"));
  return { credentialProviders: await readProviders(flags, files) };
}

async function readProviders(flags: Flags, files: NamedFiles): Promise<CredentialProviderFiles | undefined> {
  const named = flagFile(flags, "image-credential-provider-config");
  const binDir = flagFile(flags, "image-credential-provider-bin-dir");
  const config = await files.check<CredentialProviderConfig>(named, (path) =>
    loadConfigFile(path, credentialProviderConfigSchema),
  );
  await files.directory(binDir);
  // As in 1.27, one flag without the other is no error.
  if (config === undefined || binDir.path === "") return undefined;
  for (const { name } of config.providers)
    await access(join(binDir.path, name), constants.X_OK).catch((error: unknown) =>
      files.errors.push(
        `${named.from}: provider ${JSON.stringify(name)} cannot be run: ${messageOf(error)}; want a program of this name in the folder of ${binDir.from}`,
      ),
    );
  return { config, binDir: binDir.path };
}
