import {
  type Draft,
  defineResource,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  isDns1123Label,
  isDomainPrefixedPath,
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
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable } from "../../shared/immutable.ts";
import { report } from "../../shared/report.ts";
import { validateTypedReference } from "./ingress-validation.ts";

const pkg = "networking/v1";

/**
 * The controller that serves Ingresses, and its parameters. Ingresses refer to a class by name.
 *
 * `controller` is immutable. Parameters in a namespace: KEP-2365.
 */
export const IngressClass = object(pkg, "IngressClass", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, IngressClassSpec),
}));
export interface IngressClass extends Infer<typeof IngressClass> {}

/** Who serves the Ingresses of a class. */
export const IngressClassSpec = message(pkg, "IngressClassSpec", () => ({
  controller: optional(1, string),
  parameters: pointer(2, IngressClassParametersReference),
}));
export interface IngressClassSpec extends Infer<typeof IngressClassSpec> {}

/** Names an object with settings of a class. */
export const IngressClassParametersReference = message(pkg, "IngressClassParametersReference", () => ({
  apiGroup: pointer(1, string),
  kind: required(2, string),
  name: required(3, string),
  scope: pointer(4, string),
  namespace: pointer(5, string),
}));
export interface IngressClassParametersReference extends Infer<typeof IngressClassParametersReference> {}

export const IngressClassList = object(pkg, "IngressClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(IngressClass)),
}));
export interface IngressClassList extends Infer<typeof IngressClassList> {}

const maxControllerLength = 250;
const scopes = ["Cluster", "Namespace"];

function validateIngressClass({ spec }: IngressClass): FieldError[] {
  const path = field("spec");
  const controller = spec.controller ?? "";
  const at = path.child("controller");
  return [
    ...(controller.length > maxControllerLength ? [field.tooLong(at, controller, maxControllerLength)] : []),
    ...isDomainPrefixedPath(at, controller),
    ...(spec.parameters === undefined ? [] : validateParameters(spec.parameters, path.child("parameters"))),
  ];
}

/** Validates the reference to parameters: a namespace exactly if the scope is Namespace (KEP-2365). */
function validateParameters(parameters: IngressClassParametersReference, path: FieldPath): FieldError[] {
  const errors = validateTypedReference(parameters, path);
  const { scope, namespace } = parameters;
  if (scope === undefined) {
    return [...errors, field.required(path.child("scope"))];
  }
  if (!scopes.includes(scope)) {
    return [...errors, field.notSupported(path.child("scope"), scope, scopes)];
  }
  if (scope === "Cluster") {
    if (namespace !== undefined && namespace !== "") {
      errors.push(field.forbidden(path.child("namespace"), "`parameters.scope` is set to 'Cluster'"));
    }
  } else if (namespace === undefined || namespace === "") {
    errors.push(field.required(path.child("namespace"), "`parameters.scope` is set to 'Namespace'"));
  } else {
    report(errors, isDns1123Label(namespace), path, "namespace", namespace);
  }
  return errors;
}

/** Sets the defaults of an IngressClass: its parameters are cluster-scoped. */
export function defaultIngressClass({ spec }: Draft<IngressClass>): void {
  if (spec.parameters !== undefined) {
    spec.parameters.scope ??= "Cluster";
  }
}

function parametersText({ spec: { parameters } }: IngressClass): string {
  if (parameters === undefined) {
    return "<none>";
  }
  const group = parameters.apiGroup === undefined ? "" : `.${parameters.apiGroup}`;
  return `${parameters.kind}${group}/${parameters.name}`;
}

/** `networking.o8s.io/v1` ingress classes: the controllers that serve Ingresses. */
export const ingressClasses = defineResource<IngressClass>({
  group: "networking.o8s.io",
  version: "v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  singular: "ingressclass",
  scope: "Cluster",
  verbs: allVerbs,
  schema: IngressClass,
  storagePrefix: "/registry/ingressclasses",
  applyDefaults: defaultIngressClass,
  strategy: {
    validate: validateIngressClass,
    validateUpdate: (ingressClass, old) => [
      ...validateIngressClass(ingressClass),
      ...immutable(ingressClass.spec.controller, old.spec.controller, field("spec").child("controller")),
    ],
    generation: ({ spec }) => spec,
  },
  columns: [
    name(),
    column("Controller", "string", "Controller of the class.", ({ spec }) => spec.controller ?? ""),
    column("Parameters", "string", "Object with more settings of the controller.", parametersText),
    age(),
  ],
});
