import { defineResource, type FieldError, field, isDns1123Label } from "@orchernetes/apimachinery";
import { validateNodeSelector } from "../../core/v1/validation/affinity.ts";
import { validateCsiDriverName } from "../../core/v1/validation/volume-sources.ts";
import { allVerbs } from "../../meta/verbs.ts";
import { age, column, name, report, requireText } from "../../shared/index.ts";
import { ResourceClass } from "./types/resource-class.ts";

function validate({ driverName, parametersRef, suitableNodes }: ResourceClass): FieldError[] {
  const errors: FieldError[] = [];
  validateCsiDriverName(driverName, field("driverName"), errors);
  if (parametersRef !== undefined) {
    const path = field("parametersRef");
    requireText(errors, parametersRef.kind, path, "kind");
    requireText(errors, parametersRef.name, path, "name");
    const { namespace = "" } = parametersRef;
    if (namespace !== "") report(errors, isDns1123Label(namespace), path, "namespace", namespace);
  }
  if (suitableNodes !== undefined) validateNodeSelector(suitableNodes, field("suitableNodes"), errors);
  return errors;
}

/** A kind of resource, and the driver that hands it out. */
export const resourceClasses = defineResource<ResourceClass>({
  group: "resource.o8s.io",
  version: "v1alpha2",
  kind: "ResourceClass",
  plural: "resourceclasses",
  singular: "resourceclass",
  scope: "Cluster",
  verbs: allVerbs,
  schema: ResourceClass,
  storagePrefix: "/registry/resourceclasses",
  strategy: { validate, validateUpdate: validate },
  columns: [name(), column("DriverName", "string", "Driver that allocates.", ({ driverName }) => driverName), age()],
});
