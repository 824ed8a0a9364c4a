import { type Source, writeEmbedded, writeEtcd } from "@orchernetes/storage/transfer";
import type { Terminal } from "../command.ts";
import type { Values } from "../options.ts";
import { embeddedPath, prefixOf, serversOf, withEtcd } from "../reach.ts";

/** Writes a source to the store of `--to`, and prints the result. */
export async function writeStore(source: Source, values: Values, { print, say: progress }: Terminal): Promise<void> {
  if (source.entries.length === 0) throw new Error(`${source.name} has no keys: nothing is written`);
  const { overwrite, newRevisions } = values;
  let target: string;
  if (values.to === "embedded") {
    if (newRevisions)
      throw new Error("--new-revisions is for etcd: keys always keep their revisions in the embedded store");
    const directory = embeddedPath(values);
    target = `the embedded store "${directory}"`;
    await writeEmbedded(source, { directory, overwrite, progress });
  } else {
    const prefix = prefixOf(values);
    target = `etcd under "${prefix}"`;
    await withEtcd(values, serversOf(values), (transport) =>
      writeEtcd(source, { transport, prefix, overwrite, newRevisions, progress }),
    );
  }
  const kept = newRevisions ? "at new revisions" : `with their revisions, up to ${source.revision}`;
  print(
    `${source.entries.length} keys of ${source.name} are in ${target} ${kept}; all of them were read back and compared`,
  );
}
