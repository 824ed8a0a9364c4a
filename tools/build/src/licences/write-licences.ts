import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Component, componentsOf, nodeComponent } from "./component.ts";
import { renderNotices } from "./notices.ts";
import { cycloneDx } from "./sbom.ts";

/** Licences of everything by others in the folder, for people. */
export const NOTICES_FILE = "NOTICES.txt";
/** The same packages for machines, in CycloneDX. */
export const SBOM_FILE = "sbom.cdx.json";

/**
 * Writes which packages of others a build holds, and under which licences.
 *
 * @param inputs the files that the build was made from, as paths in the workspace
 * @param more packages that are no such files
 */
export function writeLicences(
  folder: string,
  name: string,
  inputs: readonly string[],
  more: readonly Component[] = [],
): void {
  const components = [...componentsOf(inputs), ...more];
  writeFileSync(join(folder, NOTICES_FILE), renderNotices(name, components));
  writeFileSync(join(folder, SBOM_FILE), `${JSON.stringify(cycloneDx(name, components), null, 2)}\n`);
}

/** As {@link writeLicences}, for a build that brings Node. */
export function writeLicencesWithNode(folder: string, name: string, inputs: readonly string[]): void {
  writeLicences(folder, name, inputs, [nodeComponent()]);
}
