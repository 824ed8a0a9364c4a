import { type FieldError, field, isDns1035Label, isDns1123Subdomain } from "@orchernetes/apimachinery";
import { inRange } from "../../shared/index.ts";
import type { APIService, ServiceReference } from "./types/api-service.ts";

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

/** Rules of an APIService: its name tells group and version, and only what is served elsewhere says how it is trusted. */
export function validateApiService(apiService: APIService): FieldError[] {
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

/** Rules of its status: conditions are true, false or unknown. */
export function validateApiServiceStatus({ status }: APIService): FieldError[] {
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
