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
      "Whether the certificate of the server is not checked. Not together with caBundle; better never. Default: false.",
    caBundle:
      "Certificates, PEM in base64, one of which must have signed that of the server. Default: what the host of orch-apiserver trusts.",
    groupPriorityMinimum:
      "Rank of the group among all groups, at least; the greatest number of its versions counts. Groups of higher rank come first when a client looks for a resource by its short name. From 1 to 20000.",
    versionPriority:
      "Rank of the version within its group, higher first; among equals, versions like v2, v1, v1beta1 come in that order. From 1 to 1000.",
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
    status: "True, False, or Unknown when nobody can tell.",
    lastTransitionTime: "When status last changed.",
    reason: "One CamelCase word that says why, for programs, such as Passed or MissingEndpoints.",
    message: "What happened, for people.",
  },
};
