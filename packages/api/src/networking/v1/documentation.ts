import type { TypeDocumentation } from "@orchernetes/apimachinery";

const policyPorts = "Ports that may be used. When empty or absent, all of them.";

/** Texts of the types of networking.o8s.io/v1. */
export const documentation: TypeDocumentation = {
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
  IngressClass: {
    "": "A way to serve Ingresses, which these refer to by name. With the annotation ingressclass.orchernetes.io/is-default-class set to true it is used for new Ingresses that name none.",
    spec: "The controller and its parameters.",
  },
  IngressClassSpec: {
    "": "Who serves the Ingresses of a class.",
    controller:
      "Name of the controller, as a path with a domain, such as example.com/ingress-controller. At most 250 characters. Can't be changed.",
    parameters: "An object with further settings for the controller.",
  },
  IngressClassParametersReference: {
    "": "Names an object with settings of a class.",
    apiGroup: "Group of the object's kind. Default: the core group.",
    kind: "Kind of the object.",
    name: "Name of the object.",
    scope: "Cluster (the default) or Namespace: whether the object lies in a namespace.",
    namespace: "Namespace of the object. Required for scope Namespace, otherwise not allowed.",
  },
  NetworkPolicy: {
    "": "Which connections some pods may have. It works only where the network plugin of the nodes enforces it.",
    spec: "The pods and the connections allowed to them.",
    status: "What the network plugin says about the policy.",
  },
  NetworkPolicySpec: {
    "": "The wanted rules. A pod that no policy selects for a direction is open in that direction; otherwise only what some policy allows is possible.",
    podSelector: "The pods of the namespace that the policy applies to. An empty selector means all of them.",
    ingress:
      "Allowed connections to the pods; one matching rule of any policy is enough. When empty and the policy applies to Ingress, nothing gets in.",
    egress:
      "Allowed connections from the pods; one matching rule of any policy is enough. When empty and the policy applies to Egress, nothing gets out, not even to DNS.",
    policyTypes:
      "The directions that the policy applies to: Ingress, Egress. Default: Ingress, and Egress when there are egress rules.",
  },
  NetworkPolicyIngressRule: {
    "": "Allows connections to the pods: from these peers, to these ports.",
    ports: policyPorts,
    from: "Where connections may come from; one matching item is enough. When empty or absent, from anywhere.",
  },
  NetworkPolicyEgressRule: {
    "": "Allows connections from the pods: to these peers, to these ports.",
    ports: policyPorts,
    to: "Where connections may go to; one matching item is enough. When empty or absent, to anywhere.",
  },
  NetworkPolicyPeer: {
    "": "The other end of a connection: pods by one or both selectors, or addresses, which stand alone.",
    podSelector:
      "Pods with matching labels: of the namespaces that namespaceSelector selects, or of the policy's own when there is none. An empty selector means all pods.",
    namespaceSelector:
      "Namespaces with matching labels: all their pods, or those that podSelector selects. An empty selector means all namespaces.",
    ipBlock: "Addresses, usually outside the cluster. Not together with selectors.",
  },
  IPBlock: {
    "": "A range of addresses with holes.",
    cidr: "The range, such as 192.168.1.0/24 or 2001:db8::/64.",
    except: "Ranges within cidr that are left out.",
  },
  NetworkPolicyPort: {
    "": "A port, or a range of ports, that may be used.",
    protocol: "TCP, UDP or SCTP. Default: TCP.",
    port: "Number of the port, or the name of a port of the pods. Default: all ports.",
    endPort: "Last port of a range that begins at port, which must then be a number not above it.",
  },
  NetworkPolicyStatus: {
    "": "What the network plugin says about a policy.",
    conditions: "Summaries of the state: Accepted, PartialFailure, Failure.",
  },
};
