import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { keep } from "../../meta/keep.ts";
import { allVerbs, subresourceVerbs } from "../../meta/verbs.ts";
import { age, column, name } from "../../shared/index.ts";
import { APIService, type APIServiceCondition } from "./types/api-service.ts";
import { validateApiService, validateApiServiceStatus } from "./validation.ts";

const defaultPort = 443;

/** Defaults of an APIService: the service is asked at the port of HTTPS. */
export function defaultApiService({ spec }: Draft<APIService>): void {
  if (spec.service !== undefined) spec.service.port ??= defaultPort;
}

/** What an APIService is that orch-apiserver serves itself. */
export function localAvailability(now: Date): APIServiceCondition {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: now.toISOString().replace(/\.\d+Z$/, "Z"),
    reason: "Local",
    message: "Local APIServices are always available",
  };
}

function availableText({ status }: APIService): string {
  const available = status.conditions?.find(({ type }) => type === "Available");
  if (available === undefined) return "Unknown";
  return available.status === "True" ? "True" : `${available.status} (${available.reason ?? ""})`;
}

/** One version of an API group, and who serves it. */
export const apiServices = defineResource<APIService>({
  group: "apiregistration.o8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  singular: "apiservice",
  categories: ["api-extensions"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: APIService,
  storagePrefix: "/registry/apiregistration.o8s.io/apiservices",
  applyDefaults: defaultApiService,
  strategy: {
    nameFormat: "path",
    prepareForCreate: (apiService, { now }) => {
      // Nothing has to be found out about what is served here. The status of others is the work of admission, which has
      // replaced what the client sent.
      if (apiService.spec.service === undefined) apiService.status = { conditions: [localAvailability(now)] };
    },
    validate: validateApiService,
    prepareForUpdate: (apiService, old) => keep(apiService, old, "status"),
    validateUpdate: validateApiService,
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("Service", "string", "Service that requests are passed on to; Local: none.", ({ spec: { service } }) =>
      service === undefined ? "Local" : `${service.namespace}/${service.name}`,
    ),
    column("Available", "string", "Whether requests can be answered.", availableText),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (apiService, old) => keep(apiService, old, "spec"),
        validateUpdate: validateApiServiceStatus,
      },
    },
  },
});
