import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withAgentSettings } from "./agent-settings.ts";
import { resourcesPage } from "./resources-page.ts";
import { shownByTests } from "./shown-by-tests.ts";
import { statusPage } from "./status-page.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const agentPage = `${root}docs/node-agent.md`;
writeFileSync(`${root}docs/status.md`, statusPage());
writeFileSync(`${root}docs/resources.md`, resourcesPage());
writeFileSync(agentPage, withAgentSettings(readFileSync(agentPage, "utf8"), shownByTests(root)));
