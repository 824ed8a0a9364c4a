import { cautions } from "@orchernetes/api";
import { statusTable } from "@orchernetes/component";
import { cloudControllerManagerFlags } from "../../../apps/cloud-controller-manager/src/flags/index.ts";
import { apiserverFlags } from "../../../apps/orch-apiserver/src/flags/index.ts";
import { orchControllerManagerFlags } from "../../../apps/orch-controller-manager/src/flags/index.ts";
import { schedulerFlags } from "../../../apps/orch-scheduler/src/flags/index.ts";
import { fieldsWithoutEffect } from "../../../apps/orchlet/src/fields-without-effect.ts";
import { orchletFlags } from "../../../apps/orchlet/src/flags/index.ts";

const tables = {
  "orch-apiserver": apiserverFlags,
  "orch-scheduler": schedulerFlags,
  "orch-controller-manager": orchControllerManagerFlags,
  "cloud-controller-manager": cloudControllerManagerFlags,
  orchlet: orchletFlags,
};

/** docs/status.md: flags that are accepted and checked but that nothing acts on yet. */
export function statusPage(): string {
  return `# Status of the flags

Made from the daemons' flag tables by \`node tools/docs/src/main.ts\`; do not edit.

Every flag of the two specification documents is parsed, validated and shown by \`--help\` with its default. Those below have no
effect yet: setting one logs a warning that names it.

${statusTable(tables).trimEnd()}

## Fields of OrchletConfiguration without effect

| field | about |
| --- | --- |
${Object.entries(fieldsWithoutEffect)
  .map(([field, about]) => `| \`${field}\` | ${about} |`)
  .join("\n")}

## Resources that nothing acts on

They are off by default; objects are validated, stored and served. Switching them on (\`--runtime-config\`) logs a warning.

| resource | about |
| --- | --- |
${Object.entries(cautions)
  .map(([resource, about]) => `| \`${resource.split("/").reverse().join(".")}\` | ${about} |`)
  .join("\n")}
`;
}
