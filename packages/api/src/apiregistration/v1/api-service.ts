import {
  bool,
  bytes,
  type Draft,
  defineResource,
  type FieldError,
  field,
  type Infer,
  int32,
  isDns1035Label,
  isDns1123Subdomain,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import { inRange } from "../../shared/numbers.ts";

const pkg = "apiregistration/v1";

export const APIServiceList = object(pkg, "APIServiceList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(APIService)),
}));
export interface APIServiceList extends Infer<typeof APIServiceList> {}

/** A Service and a port of it. */
export const ServiceReference = message(pkg, "ServiceReference", () => ({
  namespace: optional(1, string),
  name: optional(2, string),
  port: pointer(3, int32),
}));
export interface ServiceReference extends Infer<typeof ServiceReference> {}

/** The group, the version and the server. */
export const APIServiceSpec = message(pkg, "APIServiceSpec", () => ({
  service: pointer(1, ServiceReference),
  group: optional(2, string),
  version: optional(3, string),
  insecureSkipTLSVerify: optional(4, bool),
  caBundle: optional(5, bytes),
  groupPriorityMinimum: required(7, int32),
  versionPriority: required(8, int32),
}));
export interface APIServiceSpec extends Infer<typeof APIServiceSpec> {}

/** A condition of an API service. */
export const APIServiceCondition = message(pkg, "APIServiceCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface APIServiceCondition extends Infer<typeof APIServiceCondition> {}

/** State of an API service. */
export const APIServiceStatus = message(pkg, "APIServiceStatus", () => ({
  conditions: optional(1, list(APIServiceCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface APIServiceStatus extends Infer<typeof APIServiceStatus> {}

/**
 * One version of an API group, and the server that serves it: the API server itself, or another one to which it proxies
 * requests. Its name is `<version>.<group>`. Source: KEP-263.
 */
export const APIService = object(pkg, "APIService", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, APIServiceSpec),
  status: value(3, APIServiceStatus),
}));
export interface APIService extends Infer<typeof APIService> {}

const spec = field("spec");
const highestGroupPriority = 20_000;
const highestVersionPriority = 1000;
const conditionStatuses = ["True", "False", "Unknown"];

function validateService(service: ServiceReference): FieldError[] {
  const path = spec.child("service");
  const errors: FieldError[] = [];
  if (!service.namespace) errors.push(field.required(path.child("namespace"), ""));
  if (!service.name) errors.push(field.required(path.child("name"), ""));
  const port = service.port ?? 0;
  if (inRange(port, 1, 65535, path).length > 0) {
    const detail = "port is not valid: must be between 1 and 65535, inclusive";
    errors.push(field.invalid(path.child("port"), port, detail));
  }
  return errors;
}

function validateGroupVersion({ group = "", version = "" }: APIService["spec"]): FieldError[] {
  const errors: FieldError[] = [];
  if (group === "" && version !== "v1") {
    errors.push(field.required(spec.child("group"), "only v1 may have an empty group: the core one"));
  }
  if (group !== "") {
    errors.push(...isDns1123Subdomain(group).map((detail) => field.invalid(spec.child("group"), group, detail)));
  }
  errors.push(...isDns1035Label(version).map((detail) => field.invalid(spec.child("version"), version, detail)));
  return errors;
}

function validatePriorities({ groupPriorityMinimum, versionPriority }: APIService["spec"]): FieldError[] {
  const errors: FieldError[] = [];
  if (groupPriorityMinimum < 1 || groupPriorityMinimum > highestGroupPriority) {
    const detail = `must be positive and less than ${highestGroupPriority}`;
    errors.push(field.invalid(spec.child("groupPriorityMinimum"), groupPriorityMinimum, detail));
  }
  if (versionPriority < 1 || versionPriority > highestVersionPriority) {
    const detail = `must be positive and less than ${highestVersionPriority}`;
    errors.push(field.invalid(spec.child("versionPriority"), versionPriority, detail));
  }
  return errors;
}

/** Validates an APIService: its name contains the group and version, and only an APIService with a service has a CA bundle. */
function validateApiService(apiService: APIService): FieldError[] {
  const { group = "", version = "", service, caBundle, insecureSkipTLSVerify = false } = apiService.spec;
  const errors: FieldError[] = [];
  const { name = "" } = apiService.metadata;
  const wanted = `${version}.${group}`;
  if (name !== wanted) {
    const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
    errors.push(field.invalid(field("metadata").child("name"), name, detail));
  }
  errors.push(...validateGroupVersion(apiService.spec), ...validatePriorities(apiService.spec));
  const bundleLength = Buffer.byteLength(caBundle ?? "", "base64");
  const skip = spec.child("insecureSkipTLSVerify");
  if (service === undefined) {
    if (bundleLength > 0) {
      const detail = "local APIServices may not have a caBundle";
      errors.push(field.invalid(spec.child("caBundle"), `${bundleLength} bytes`, detail));
    }
    if (insecureSkipTLSVerify)
      errors.push(field.invalid(skip, true, "local APIServices may not have insecureSkipTLSVerify"));
    return errors;
  }
  errors.push(...validateService(service));
  if (insecureSkipTLSVerify && bundleLength > 0) {
    errors.push(field.invalid(skip, true, "may not be true if caBundle is present"));
  }
  return errors;
}

/** Validates its status: conditions are true, false or unknown. */
function validateApiServiceStatus({ status }: APIService): FieldError[] {
  return (status.conditions ?? []).flatMap((condition, index) =>
    conditionStatuses.includes(condition.status)
      ? []
      : [
          field.notSupported(
            field("status").child("conditions").index(index).child("status"),
            condition.status,
            conditionStatuses,
          ),
        ],
  );
}

const defaultPort = 443;

/** Sets the defaults of an APIService: the port of its service is that of HTTPS. */
function defaultApiService({ spec }: Draft<APIService>): void {
  if (spec.service !== undefined) spec.service.port ??= defaultPort;
}

/** The condition of an APIService that orch-apiserver serves itself: always available. */
function localAvailability(now: Date): APIServiceCondition {
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

/** `apiregistration.o8s.io/v1` API services: the server of each version of an API group. */
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
      // Local APIServices are always available. The status of others is set by admission, which has replaced what the
      // client sent.
      if (apiService.spec.service === undefined) apiService.status = { conditions: [localAvailability(now)] };
    },
    validate: validateApiService,
    prepareForUpdate: (apiService, old) => keep(apiService, old, "status"),
    validateUpdate: validateApiService,
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("Service", "string", "Service that requests are forwarded to; Local: none.", ({ spec: { service } }) =>
      service === undefined ? "Local" : `${service.namespace}/${service.name}`,
    ),
    column("Available", "string", "Whether requests can be served.", availableText),
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
