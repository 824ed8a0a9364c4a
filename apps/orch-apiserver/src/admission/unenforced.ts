import type { core, networking } from "@orchernetes/api";
import { type ApiObject, forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { groupResource, isAbout, objectsAs } from "./shared/attributes.ts";
import { isSame } from "./shared/is-same.ts";
import { checkPods } from "./unenforced-pods.ts";

/** The fields of webhook configurations that are checked. */
interface WebhookConfiguration extends ApiObject {
  readonly webhooks?: readonly { readonly name?: string; readonly failurePolicy?: string }[];
}

const GROUP = "admissionregistration.o8s.io";
const NO_WEBHOOKS = "this server does not call admission webhooks";

/**
 * Rejects webhooks with `failurePolicy: Fail`, since requests would pass unchecked. Webhooks with `Ignore` are accepted with a
 * warning that they are never called.
 */
function checkWebhooks(attributes: AdmissionAttributes, { warn }: AdmissionContext): void {
  const { object, oldObject } = objectsAs<WebhookConfiguration>(attributes);
  const fails = (webhook: { readonly failurePolicy?: string }) => webhook.failurePolicy !== "Ignore";
  const before = new Set(oldObject?.webhooks?.filter(fails).map(({ name }) => name));
  // A webhook that is already stored must not prevent other changes of the configuration.
  for (const [index, webhook] of (object?.webhooks ?? []).entries())
    if (fails(webhook) && !before.has(webhook.name))
      throw forbidden(
        groupResource(attributes.resource),
        attributes.name,
        `webhooks[${index}].failurePolicy: found ${JSON.stringify(webhook.failurePolicy ?? "Fail")}, but ${NO_WEBHOOKS}, so that requests would pass unchecked; want "Ignore", with which a webhook that is not called is passed over`,
      );
  if (object?.webhooks?.length) warn(`${NO_WEBHOOKS}: the configuration is stored and has no effect`);
}

/** Warns when the spec is new or changed; changes of metadata need no warning. */
function checkNetworkPolicy(attributes: AdmissionAttributes, { warn }: AdmissionContext): void {
  const { object, oldObject } = objectsAs<networking.NetworkPolicy>(attributes);
  if (oldObject !== undefined && isSame(object?.spec, oldObject.spec)) return;
  warn(
    "network policies are left to the network plugin of the nodes: without one that enforces them, such as the plugin of a local cluster, this policy has no effect",
  );
}

const ONE_POD = "ReadWriteOncePod";

function checkClaim(attributes: AdmissionAttributes, { warn }: AdmissionContext): void {
  const { object } = objectsAs<core.PersistentVolumeClaim>(attributes);
  const index = object?.spec.accessModes?.indexOf(ONE_POD) ?? -1;
  if (index >= 0)
    warn(
      `spec.accessModes[${index}]: neither scheduler nor nodes keep other pods away from a volume: "${ONE_POD}" has the effect of "ReadWriteOnce"`,
    );
}

/**
 * Warns about policies that are stored but not enforced. A policy whose author would rely on requests being denied is rejected
 * instead.
 */
export const unenforcedPolicies: AdmissionPlugin = {
  name: "UnenforcedPolicies",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(attributes, context) {
    const { subresource, operation, resource } = attributes;
    if (subresource !== "") return;
    if (resource.group === GROUP) {
      switch (resource.resource) {
        case "mutatingwebhookconfigurations":
        case "validatingwebhookconfigurations":
          return checkWebhooks(attributes, context);
      }
    }
    if (isAbout(attributes, "networking.o8s.io", "networkpolicies")) return checkNetworkPolicy(attributes, context);
    if (operation === "CREATE" && isAbout(attributes, "", "persistentvolumeclaims"))
      return checkClaim(attributes, context);
    checkPods(attributes, context);
  },
};
