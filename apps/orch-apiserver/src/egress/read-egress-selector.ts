import type { NamedFile, NamedFiles } from "@orchernetes/component";
import type { EgressSelection } from "@orchernetes/config";

/** Reads the file of `--egress-selector-config-file`, and the files that it names; errors are added to those of `files`. */
export async function readEgressSelector(file: NamedFile, files: NamedFiles): Promise<readonly EgressSelection[]> {
  const selections = (await files.check(file, readSelections)) ?? [];
  for (const { name, connection } of selections) {
    if (connection.type !== "httpConnect" || connection.transport.type !== "tcp") continue;
    const { tls } = connection.transport;
    if (tls === undefined) continue;
    const from = `${file.from}: ${JSON.stringify(file.path)}, tlsConfig of selection "${name}"`;
    const named = (field: keyof typeof tls) => ({ from: `${from}, field ${field}`, path: tls[field] });
    await files.bundle(named("caBundle"));
    await files.pair(named("clientCert"), named("clientKey"));
  }
  return selections;
}

async function readSelections(path: string): Promise<readonly EgressSelection[]> {
  // Loaded only if the flag is set, because it costs start-up time.
  const [{ parseConfig, readConfigDocument }, { egressSelectorConfigurationSchema }] = await Promise.all([
    import("@orchernetes/config/load-config-file"),
    import("@orchernetes/config/egress-selector-configuration"),
  ]);
  const source = JSON.stringify(path);
  return parseConfig(await readConfigDocument(path, source), egressSelectorConfigurationSchema, source)
    .egressSelections;
}
