import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of apiregistration.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  APIService: {
    "": "One version of an API group and who serves it: orch-apiserver itself, or another server to which requests are passed on. Its name is VERSION.GROUP.",
    spec: "The group, the version and the server.",
    status: "Whether the server can be reached. Written by orch-apiserver.",
  },
  APIServiceSpec: {
    "": "The group, the version and the server.",
    service: "The Service that requests go to, over TLS. When absent, orch-apiserver serves the version itself.",
    group: "Name of the group.",
    version: "Name of the version, such as v1beta1.",
    insecureSkipTLSVerify:
      "Whether the check of the server's certificate is skipped. Not together with caBundle; strongly discouraged. Default: false.",
    caBundle:
      "CA certificates, as base64-encoded PEM, that the server's certificate is verified against. Default: the CAs that the host of orch-apiserver trusts.",
    groupPriorityMinimum:
      "Minimum priority of the group among all groups; the highest value of its versions applies. Groups of higher priority come first when a client looks up a resource by its short name. From 1 to 20000.",
    versionPriority:
      "Priority of the version within its group, higher first; versions of equal priority are ordered like v2, v1, v1beta1. From 1 to 1000.",
  },
  ServiceReference: {
    "": "A Service and a port of it.",
    namespace: "Namespace of the Service.",
    name: "Name of the Service.",
    port: "Port of the Service, from 1 to 65535. Default: 443.",
  },
  APIServiceStatus: {
    "": "State of an API service.",
    conditions: "Summaries of the state. Available: whether requests can be passed on.",
  },
  APIServiceCondition: {
    "": "One aspect of an API service's state.",
    type: "Which aspect: Available.",
    status: "True, False, or Unknown if it cannot be determined.",
    lastTransitionTime: "When status last changed.",
    reason: "A machine-readable reason in CamelCase, such as Passed or MissingEndpoints.",
    message: "A human-readable description of what happened.",
  },
};
