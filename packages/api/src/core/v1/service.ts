import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { share } from "../../shared/drafts.ts";
import { defaultService } from "./defaults/service.ts";
import { serviceColumns } from "./service-columns.ts";
import { adoptClusterIPs, prepareServiceUpdate } from "./service-update.ts";
import { serviceWarnings } from "./service-warnings.ts";
import { ServiceProxyOptions } from "./types/pod-options.ts";
import { Service } from "./types/service.ts";
import { validateService, validateServiceStatus, validateServiceUpdate } from "./validation/service.ts";

/** A status of the request is ignored: load balancers set it. */
function prepareForCreate(service: Draft<Service>): void {
  service.status = { loadBalancer: {} };
  adoptClusterIPs(service.spec);
}

/**
 * `v1` services. Addresses, families and node ports are allocated by a write hook of the server, between defaults and
 * validation.
 */
export const services = defineResource<Service>({
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  singular: "service",
  shortNames: ["svc"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Service,
  storagePrefix: "/registry/services/specs",
  applyDefaults: defaultService,
  strategy: {
    nameFormat: "dns-1035-label",
    allowCreateOnUpdate: true,
    prepareForCreate,
    validate: validateService,
    prepareForUpdate: (service, old) => {
      service.status = share(old.status);
      prepareServiceUpdate(service.spec, old.spec);
    },
    validateUpdate: validateServiceUpdate,
    warnings: serviceWarnings,
  },
  columns: serviceColumns,
  fieldSelectors: ["spec.clusterIP", "spec.type"],
  selectableFields: ({ spec }) => ({ "spec.clusterIP": spec.clusterIP ?? "", "spec.type": spec.type ?? "" }),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (service, old) => {
          service.spec = share(old.spec);
        },
        validateUpdate: validateServiceStatus,
      },
    },
    proxy: {
      type: "handler",
      group: "",
      version: "v1",
      kind: "ServiceProxyOptions",
      verbs: ["create", "delete", "get", "patch", "update"],
      schema: ServiceProxyOptions,
    },
  },
});
