import { cautions } from "@orchernetes/api";
import { type Feature, type FeatureName, features, statusTable } from "@orchernetes/component";
import { cloudControllerManagerFlags } from "../../../apps/cloud-controller-manager/src/flags/index.ts";
import { implementedPlugins } from "../../../apps/orch-apiserver/src/admission/plugin-names.ts";
import { authorizationModes, implementedModes } from "../../../apps/orch-apiserver/src/authorization/modes.ts";
import { gatesWithoutEffect } from "../../../apps/orch-apiserver/src/feature-gates/gates-without-effect.ts";
import {
  apiserverFlags,
  defaultAdmissionPlugins,
  otherAdmissionPlugins,
} from "../../../apps/orch-apiserver/src/flags/index.ts";
import { orchControllerManagerFlags } from "../../../apps/orch-controller-manager/src/flags/index.ts";
import { fieldsWithoutEffect as schedulerFields } from "../../../apps/orch-scheduler/src/config/load-settings.ts";
import { schedulerFlags } from "../../../apps/orch-scheduler/src/flags/index.ts";
import { fieldsWithoutEffect } from "../../../apps/orchlet/src/fields-without-effect.ts";
import { orchletFlags } from "../../../apps/orchlet/src/flags/index.ts";

/** The flag tables of all daemons. */
export const tables = {
  "orch-apiserver": apiserverFlags,
  "orch-scheduler": schedulerFlags,
  "orch-controller-manager": orchControllerManagerFlags,
  "cloud-controller-manager": cloudControllerManagerFlags,
  orchlet: orchletFlags,
};

const absent = (names: readonly string[], present: readonly string[]): string =>
  names
    .filter((name) => !present.includes(name))
    .map((name) => `\`${name}\``)
    .join(", ");

/** docs/status.md: what is accepted and checked but has no effect, and what is refused because it is not there. */
export function statusPage(): string {
  return `# Status of the flags, and of what else is not there

What has an effect is found out by tests (\`tools/docs/src/effects\`): each flag is set, and the daemon, started with all that its
settings are made of under record, must read by its name a setting that the flag changes, or a test that is named there sees the
effect. The same holds for the fields of configuration files. What is left must be in these lists, and what is in them must be read
by nobody. Made from the daemons' flag tables by \`node tools/docs/src/main.ts\`; do not edit.

Every flag of the two specification documents is parsed, validated and shown by \`--help\` with its default. Those below have no
effect yet: setting one logs a warning that names it. Flags of orchlet that stand for a field of its configuration have the field's
effect. A feature gate that switches nothing in a daemon logs a warning there when it is named with another value than its default.

${statusTable(tables).trimEnd()}

## Fields of OrchletConfiguration without effect

| field | about |
| --- | --- |
${Object.entries(fieldsWithoutEffect)
  .map(([field, about]) => `| \`${field}\` | ${about} |`)
  .join("\n")}

## Fields of OrchSchedulerConfiguration without effect

${schedulerFields.map((field) => `- \`${field}\``).join("\n")}

## Admission plugins that orch-apiserver does not have

Those of the first line would run by default: the server starts without them, and says so in its log. Naming any of them in
\`--enable-admission-plugins\` is refused.

- on by default: ${absent(defaultAdmissionPlugins, implementedPlugins)}
- off by default: ${absent(otherAdmissionPlugins, implementedPlugins)}

## Authorization modes that orch-apiserver does not have

Naming one in \`--authorization-mode\` is refused: ${absent(authorizationModes, implementedModes)}.

## Feature gates of orch-apiserver without effect

They are checked like all others; naming one with another value than its default logs a warning.

| gate | stage | default | about |
| --- | --- | --- | --- |
${Object.entries(gatesWithoutEffect)
  .map(([gate, about]) => {
    const { stage, default: on }: Feature = features[gate as FeatureName];
    return `| \`${gate}\` | ${stage} | ${on} | ${about} |`;
  })
  .join("\n")}

## Custom resources

Definitions that ask for one of these are accepted, with a warning to whoever writes them:

- rules in the expression language (\`x-orchernetes-validations\`) are stored, but not evaluated;
- conversion webhooks (\`spec.conversion.strategy: Webhook\`) are not called: the storage version alone is served, and asking for
  another gets 404 with the reason.

## A gate that differs

The gate \`WatchList\` differs from its level: watches with \`sendInitialEvents\` are served unless \`--feature-gates\` says
\`WatchList=false\`.

## Resources that nothing acts on

They are off by default; objects are validated, stored and served. Switching them on (\`--runtime-config\`) logs a warning.

| resource | about |
| --- | --- |
${Object.entries(cautions)
  .map(([resource, about]) => `| \`${resource.split("/").reverse().join(".")}\` | ${about} |`)
  .join("\n")}
`;
}
