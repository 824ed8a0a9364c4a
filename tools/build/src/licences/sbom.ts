import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.ts";
import type { Component } from "./component.ts";

/** Version of the workspace, which is that of everything built from it. */
export function workspaceVersion(): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
  return version;
}

/** Package URL of a package of the npm registry. */
const purlOf = (name: string, version: string): string =>
  name === "node" ? `pkg:generic/node@${version}` : `pkg:npm/${name.replace("@", "%40")}@${version}`;

const licenceOf = (licence: string): object =>
  /[ ()]/.test(licence) ? { expression: licence } : { license: { id: licence } };

/** Software bill of materials in CycloneDX 1.6. It has no time and no serial number, so that equal builds have equal ones. */
export function cycloneDx(name: string, components: readonly Component[]): object {
  const version = workspaceVersion();
  const subject = `orchernetes/${name}@${version}`;
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": subject,
        name,
        version,
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: components.map(({ name, version, licence }) => ({
      type: "library",
      "bom-ref": purlOf(name, version),
      name,
      version,
      purl: purlOf(name, version),
      licenses: [licenceOf(licence)],
    })),
    dependencies: [{ ref: subject, dependsOn: components.map(({ name, version }) => purlOf(name, version)) }],
  };
}
