import {
  defineResource,
  type FieldError,
  field,
  type Infer,
  isDns1123Label,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { NodeSelector } from "../../core/v1/types/affinity.ts";
import { validateNodeSelector } from "../../core/v1/validation/affinity.ts";
import { validateCsiDriverName } from "../../core/v1/validation/volume-sources.ts";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { report, requireText } from "../../shared/report.ts";

const pkg = "resource/v1alpha2";

/** The driver and the parameters of claims that refer to it by name. Source: KEP-3063. */
export const ResourceClass = object(pkg, "ResourceClass", () => ({
  metadata: value(1, ObjectMeta),
  driverName: required(2, string),
  parametersRef: pointer(3, ResourceClassParametersReference),
  suitableNodes: pointer(4, NodeSelector),
}));
export interface ResourceClass extends Infer<typeof ResourceClass> {}

/** Names an object with settings of a class. */
export const ResourceClassParametersReference = message(pkg, "ResourceClassParametersReference", () => ({
  apiGroup: optional(1, string),
  kind: required(2, string),
  name: required(3, string),
  namespace: optional(4, string),
}));
export interface ResourceClassParametersReference extends Infer<typeof ResourceClassParametersReference> {}

export const ResourceClassList = object(pkg, "ResourceClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ResourceClass)),
}));
export interface ResourceClassList extends Infer<typeof ResourceClassList> {}

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

/** `resource.o8s.io/v1alpha2` resource classes: kinds of resources, and the drivers that allocate them. */
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
