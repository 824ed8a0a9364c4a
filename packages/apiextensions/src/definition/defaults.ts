import type { apiextensions } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";

/** Port of a conversion webhook's service, as of all webhooks. */
const webhookPort = 443;

/** Sets the defaults of a definition. */
export function applyDefinitionDefaults(draft: Draft<apiextensions.CustomResourceDefinition>): void {
  const { spec, status } = draft;
  if (!spec.names.singular && spec.names.kind) spec.names.singular = spec.names.kind.toLowerCase();
  if (!spec.names.listKind && spec.names.kind) spec.names.listKind = `${spec.names.kind}List`;
  spec.conversion ??= { strategy: "None" };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= webhookPort;
  if ((status.storedVersions ?? []).length > 0) return;
  const stored = spec.versions.find(({ storage }) => storage);
  if (stored !== undefined) status.storedVersions = [stored.name];
}
