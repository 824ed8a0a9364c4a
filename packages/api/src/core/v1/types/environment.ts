import {
  bool,
  embed,
  type Infer,
  message,
  optional,
  pointer,
  quantity,
  required,
  string,
} from "@orchernetes/apimachinery";
import { LocalObjectReference } from "./references.ts";

const pkg = "core/v1";

/** One environment variable of a container. */
export const EnvVar = message(pkg, "EnvVar", () => ({
  name: required(1, string),
  value: optional(2, string),
  valueFrom: pointer(3, EnvVarSource),
}));
export interface EnvVar extends Infer<typeof EnvVar> {}

/** Where the value of an environment variable comes from. Exactly one field is set. */
export const EnvVarSource = message(pkg, "EnvVarSource", () => ({
  fieldRef: pointer(1, ObjectFieldSelector),
  resourceFieldRef: pointer(2, ResourceFieldSelector),
  configMapKeyRef: pointer(3, ConfigMapKeySelector),
  secretKeyRef: pointer(4, SecretKeySelector),
}));
export interface EnvVarSource extends Infer<typeof EnvVarSource> {}

/** Refers to a field of the object itself. */
export const ObjectFieldSelector = message(
  pkg,
  "ObjectFieldSelector",
  () => ({
    apiVersion: optional(1, string),
    fieldPath: required(2, string),
  }),
  { atomic: true },
);
export interface ObjectFieldSelector extends Infer<typeof ObjectFieldSelector> {}

/** Refers to a request or limit of a container. */
export const ResourceFieldSelector = message(
  pkg,
  "ResourceFieldSelector",
  () => ({
    containerName: optional(1, string),
    resource: required(2, string),
    divisor: optional(3, quantity),
  }),
  { atomic: true },
);
export interface ResourceFieldSelector extends Infer<typeof ResourceFieldSelector> {}

/** Refers to one value of a config map. */
export const ConfigMapKeySelector = message(
  pkg,
  "ConfigMapKeySelector",
  () => ({
    ...embed(1, "localObjectReference", LocalObjectReference),
    key: required(2, string),
    optional: pointer(3, bool),
  }),
  { atomic: true },
);
export interface ConfigMapKeySelector extends Infer<typeof ConfigMapKeySelector> {}

/** Refers to one value of a secret. */
export const SecretKeySelector = message(
  pkg,
  "SecretKeySelector",
  () => ({
    ...embed(1, "localObjectReference", LocalObjectReference),
    key: required(2, string),
    optional: pointer(3, bool),
  }),
  { atomic: true },
);
export interface SecretKeySelector extends Infer<typeof SecretKeySelector> {}

/** A config map or secret whose values all become environment variables. */
export const EnvFromSource = message(pkg, "EnvFromSource", () => ({
  prefix: optional(1, string),
  configMapRef: pointer(2, ConfigMapEnvSource),
  secretRef: pointer(3, SecretEnvSource),
}));
export interface EnvFromSource extends Infer<typeof EnvFromSource> {}

/** A config map whose values become environment variables. */
export const ConfigMapEnvSource = message(pkg, "ConfigMapEnvSource", () => ({
  ...embed(1, "localObjectReference", LocalObjectReference),
  optional: pointer(2, bool),
}));
export interface ConfigMapEnvSource extends Infer<typeof ConfigMapEnvSource> {}

/** A secret whose values become environment variables. */
export const SecretEnvSource = message(pkg, "SecretEnvSource", () => ({
  ...embed(1, "localObjectReference", LocalObjectReference),
  optional: pointer(2, bool),
}));
export interface SecretEnvSource extends Infer<typeof SecretEnvSource> {}
