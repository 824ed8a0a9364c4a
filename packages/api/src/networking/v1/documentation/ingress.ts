import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const ingressDocumentation: TypeDocumentation = {
  Ingress: {
    "": "Leads HTTP requests from outside the cluster to Services, by host and path. An ingress controller, which is not part of orchernetes, does the work.",
    spec: "Which requests go where.",
    status: "Where the ingress can be reached. Written by the ingress controller.",
  },
  IngressSpec: {
    "": "The wanted routes.",
    ingressClassName:
      "Name of the IngressClass, and so of the controller, that serves this object. Default: that of the class marked as default, if any. Takes the place of an annotation of old.",
    defaultBackend: "Where requests go that no rule matches. Required when there are no rules.",
    tls: "Hosts that are served over TLS, and their certificates. Port 443 is meant.",
    rules: "Routes by host. Without any, everything goes to defaultBackend.",
  },
  IngressTLS: {
    "": "Ends TLS for some hosts.",
    hosts: "Hosts that the certificate is for. Default: what the controller decides, usually all hosts of the Ingress.",
    secretName:
      "Name of a Secret of type orchernetes.io/tls in the same namespace. When absent, the controller uses a certificate of its own.",
  },
  IngressRule: {
    "": "What is done with requests to a host.",
    host: "Full domain name without a port, or with a first label of * such as *.example.com, which stands for exactly one label. Default: every host.",
    http: "Routes by path. When absent, everything for the host goes to defaultBackend.",
  },
  HTTPIngressRuleValue: {
    "": "Routes of a host.",
    paths: "Paths and their backends. At least one.",
  },
  HTTPIngressPath: {
    "": "Leads the requests below a path to a backend.",
    path: "The path, starting with /. Required for the types Exact and Prefix.",
    pathType:
      "Exact: the path must be equal. Prefix: it must be equal in its first steps between slashes. ImplementationSpecific: the class decides.",
    backend: "Where the requests go.",
  },
  IngressBackend: {
    "": "A target of requests: exactly one of service and resource.",
    service: "A Service.",
    resource: "Another object of the namespace, of a kind that the controller knows.",
  },
  IngressServiceBackend: {
    "": "A port of a Service of the same namespace.",
    name: "Name of the Service.",
    port: "Which port of it. Required.",
  },
  ServiceBackendPort: {
    "": "A port of a Service, by name or by number: exactly one of them.",
    name: "Name of the port.",
    number: "Number of the port, from 1 to 65535.",
  },
  IngressStatus: {
    "": "What the ingress controller reports.",
    loadBalancer: "Where requests can be sent to.",
  },
  IngressLoadBalancerStatus: {
    "": "The points of entry of an Ingress.",
    ingress: "One item for each point of entry.",
  },
  IngressLoadBalancerIngress: {
    "": "A point of entry.",
    ip: "Its IP address, where it has one.",
    hostname: "Its name in DNS, where it has one.",
    ports: "How its ports are doing.",
  },
  IngressPortStatus: {
    "": "State of a port of a point of entry.",
    port: "Number of the port.",
    protocol: "TCP, UDP or SCTP.",
    error: "Why the port does not work: a CamelCase word, or a name with a domain in front. Absent when all is well.",
  },
};
