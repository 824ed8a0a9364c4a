import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { resourcesPage } from "./resources-page.ts";
import { statusPage } from "./status-page.ts";

const docs = fileURLToPath(new URL("../../../docs/", import.meta.url));
writeFileSync(`${docs}status.md`, statusPage());
writeFileSync(`${docs}resources.md`, resourcesPage());
