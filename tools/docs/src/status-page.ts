import { cautions } from "@orchernetes/api";
import { statusTable } from "@orchernetes/component";
import {
  cloudControllerManagerFlags,
  fieldsWithoutEffect as cloudManagerFields,
} from "../../../apps/cloud-controller-manager/src/flags/index.ts";
import { metricsServerFlags } from "../../../apps/metrics-server/src/flags/index.ts";
import { apiserverFlags } from "../../../apps/orch-apiserver/src/flags/index.ts";
import {
  fieldsWithoutEffect as managerFields,
  orchControllerManagerFlags,
} from "../../../apps/orch-controller-manager/src/flags/index.ts";
import { orchProxyFlags, fieldsWithoutEffect as proxyFields } from "../../../apps/orch-proxy/src/flags/index.ts";
import { schedulerFlags } from "../../../apps/orch-scheduler/src/flags/index.ts";
import { orchletFlags } from "../../../apps/orchlet/src/flags/index.ts";

/** The flag tables of all daemons. */
export const tables = {
  "orch-apiserver": apiserverFlags,
  "orch-scheduler": schedulerFlags,
  "orch-controller-manager": orchControllerManagerFlags,
  "cloud-controller-manager": cloudControllerManagerFlags,
  "orch-proxy": orchProxyFlags,
  orchlet: orchletFlags,
  "metrics-server": metricsServerFlags,
};

const listed = (fields: readonly string[]): string => fields.map((field) => `- \`${field}\``).join("\n");

/** docs/status.md: what is accepted and checked but has no effect, and what is rejected because it is not implemented. */
export function statusPage(): string {
  return `# Status of flags and missing features

Generated from the daemons' flag tables by \`node tools/docs/src/main.ts\`; do not edit. Tests (\`tools/docs/src/effects\`) verify
these lists: they set each flag, start the daemon with recorded settings, and check that it reads a setting that the flag changes, or
name another test that observes the effect. The same holds for fields of configuration files. Everything else must be listed here, and
no code may read what is listed.

Every flag of the two specification documents is parsed, validated and shown by \`--help\` with its default. Those below have no
effect yet; setting one logs a warning that names it. A flag that sets a field of a configuration document has the effect of the field. A
feature gate that is set to a non-default value and has no effect in a daemon logs a warning there.

${statusTable(tables).trimEnd()}

Every field of OrchletConfiguration and OrchSchedulerConfiguration has an effect.

## Fields of OrchControllerManagerConfiguration without effect

${listed(managerFields)}

## Fields of CloudControllerManagerConfiguration without effect

${listed(cloudManagerFields)}

## Fields of OrchProxyConfiguration without effect

${listed(proxyFields)}

## Content type of requests

\`--orch-api-content-type\` (fields \`contentType\` and \`acceptContentTypes\`) acts only where it is set: the documents show the original's
default, \`application/vnd.orchernetes.protobuf\`, but a daemon in which nobody sets it speaks JSON, which costs client and server less
([ADR 27](adr/0027-json-is-the-default-of-clients.md)). A file that \`--write-config-to\` wrote names the default, so it sets it. Patches,
metadata and the objects of kinds without a protobuf form, such as custom resources, are JSON in any case.

## Custom resources

Where a webhook converts (\`spec.conversion.strategy: Webhook\`), label selectors look at objects as they are stored, although the webhook
may change labels between versions.

## A gate that differs

The gate \`WatchList\` differs from its level: watches with \`sendInitialEvents\` are served unless \`--feature-gates\` says
\`WatchList=false\`.

## Resources that are only stored

They are disabled by default; objects are validated, stored and served, and have no further effect, or only with the settings below.
Enabling them (\`--runtime-config\`) logs a warning.

| resource | about |
| --- | --- |
${Object.entries(cautions)
  .map(([resource, about]) => `| \`${resource.split("/").reverse().join(".")}\` | ${about} |`)
  .join("\n")}
`;
}
