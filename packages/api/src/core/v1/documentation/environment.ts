import type { TypeDocumentation } from "@orchernetes/apimachinery";

const configMapOptional =
  "Whether the config map, or the key in it, may be missing. Default false: the container then waits.";
const secretOptional = "Whether the secret, or the key in it, may be missing. Default false: the container then waits.";
const configMapName = "Name of the config map, in the pod's namespace.";
const secretName = "Name of the secret, in the pod's namespace.";

/** Texts of the types in `types/environment.ts`. */
export const documentation: TypeDocumentation = {
  EnvVar: {
    "": "One environment variable of a container.",
    name: "Name of the variable: letters, digits, '_', '-' and '.', not starting with a digit.",
    value:
      'Value of the variable. $(NAME) stands for the value of a variable defined before, or by a service; $$(NAME) yields a literal $(NAME), and references that cannot be resolved stay as they are. Default "".',
    valueFrom: "Where to take the value from. Not together with a value that is not empty.",
  },
  EnvVarSource: {
    "": "Where the value of an environment variable comes from. Exactly one field is set.",
    fieldRef:
      "A field of the pod: metadata.name, metadata.namespace, metadata.uid, metadata.labels['KEY'], metadata.annotations['KEY'], spec.nodeName, spec.serviceAccountName, status.hostIP, status.podIP or status.podIPs.",
    resourceFieldRef:
      "A request or limit of the container: limits.cpu, requests.memory and so on, also for ephemeral-storage and huge pages.",
    configMapKeyRef: "A value of a config map.",
    secretKeyRef: "A value of a secret.",
  },
  ObjectFieldSelector: {
    "": "Refers to a field of the object itself.",
    apiVersion: "Version of the API that the path is written for. Default v1.",
    fieldPath: "Path of the field, such as metadata.name or metadata.labels['app'].",
  },
  ResourceFieldSelector: {
    "": "Refers to a request or limit of a container.",
    containerName:
      "Name of the container. Required in volumes; in environment variables it is the container itself if left out.",
    resource:
      "What to read, such as limits.cpu or requests.memory. For a limit that is not set, the value is the node's allocatable amount.",
    divisor: "Unit of the result, such as 1m for milli-CPUs or 1Mi for mebibytes; the result is rounded up. Default 1.",
  },
  ConfigMapKeySelector: {
    "": "Refers to one value of a config map.",
    name: configMapName,
    key: "Key of the value.",
    optional: configMapOptional,
  },
  SecretKeySelector: {
    "": "Refers to one value of a secret.",
    name: secretName,
    key: "Key of the value. It must be a valid one for secrets.",
    optional: secretOptional,
  },
  EnvFromSource: {
    "": "A config map or secret whose values all become environment variables.",
    prefix: "Text to put in front of every key. The result must be a valid variable name, or the key is left out.",
    configMapRef: "The config map to take the values from.",
    secretRef: "The secret to take the values from.",
  },
  ConfigMapEnvSource: {
    "": "A config map whose values become environment variables.",
    name: configMapName,
    optional: "Whether the config map may be missing. Default false: the container then waits.",
  },
  SecretEnvSource: {
    "": "A secret whose values become environment variables.",
    name: secretName,
    optional: "Whether the secret may be missing. Default false: the container then waits.",
  },
};
