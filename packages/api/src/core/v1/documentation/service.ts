import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata, protocol } from "./phrases.ts";

/** Texts of services and endpoints. */
export const documentation: TypeDocumentation = {
  ClientIPConfig: {
    "": "Details of affinity by the client's IP address.",
    timeoutSeconds:
      "Seconds after its last connection for which a client stays with its endpoint, 1 to 86400. Default 10800 (3 hours).",
  },
  SessionAffinityConfig: {
    "": "Details of how connections of a client stay with one endpoint.",
    clientIP: "Details of affinity by the client's IP address.",
  },
  ServiceStatus: {
    "": "What was last seen of a service.",
    loadBalancer: "The load balancer in front of the service, if it has one.",
    conditions: "Findings about the service.",
  },
  LoadBalancerStatus: {
    "": "Where a load balancer can be reached.",
    ingress: "Its entry points. Traffic for the service is to be sent to them. Empty until it is set up.",
  },
  LoadBalancerIngress: {
    "": "One entry point of a load balancer.",
    ip: "IP address, for load balancers that have one.",
    hostname: "DNS name, for load balancers that have one instead.",
    ports: "Status of the individual ports, where the load balancer reports it.",
  },
  ServiceSpec: {
    "": "How a service is reached, and which pods are behind it.",
    ports:
      "Ports of the service. Required, except for headless services and ExternalName. With more than one, each has a name.",
    selector:
      "Labels of the pods behind the service. If empty, the endpoints are not managed by the cluster. Without effect for ExternalName.",
    clusterIP:
      'Virtual address of the service. Allocated from the service range if empty; "None" makes the service headless, so that DNS answers with the pods\' addresses. Not for ExternalName, and immutable unless type changes from or to that. Equals the first of clusterIPs.',
    clusterIPs:
      "Virtual addresses of the service, at most one for each IP family, or None alone. The first one equals clusterIP. What is allocated depends on ipFamilies and ipFamilyPolicy.",
    type: "How the service is reached: ClusterIP (within the cluster), NodePort (also at a port of every node), LoadBalancer (also through a load balancer of the cloud) or ExternalName (an alias in DNS, without proxying). Default ClusterIP.",
    externalIPs:
      "Addresses, besides those of the cluster, at which nodes accept traffic for the service. They are not managed by the cluster: the user must make sure that the traffic gets to a node.",
    sessionAffinity:
      "Whether connections from one client IP go to the same endpoint (ClientIP) or anywhere (None). Default None.",
    loadBalancerIP:
      "Address to ask the cloud for. Deprecated since 1.24: clouds treat it differently and may ignore it; use their annotations.",
    loadBalancerSourceRanges:
      "Ranges of client addresses, as CIDRs, that the load balancer lets through, where the cloud supports it. All if empty. Only for LoadBalancer.",
    externalName: "DNS name that the service is an alias of. Required for ExternalName and without effect otherwise.",
    externalTrafficPolicy:
      "Where traffic from outside goes: Cluster (any endpoint, by way of other nodes if need be, which hides the client's address) or Local (endpoints of the node that got it; dropped if there are none). Default Cluster for NodePort and LoadBalancer.",
    healthCheckNodePort:
      "Port of every node at which load balancers check whether the node has endpoints. Allocated if 0. Only for LoadBalancer with externalTrafficPolicy Local, and immutable.",
    publishNotReadyAddresses:
      "Treats pods that are not ready as if they were, in endpoints and DNS; for peers that must find each other while starting. Default false.",
    sessionAffinityConfig: "Details of sessionAffinity. Only with ClientIP.",
    ipFamilies:
      "IP families of the service, IPv4, IPv6 or both, in order of preference. Chosen by the cluster if empty. The first is immutable; a second can be added or removed together with ipFamilyPolicy.",
    ipFamilyPolicy:
      "Whether the service has one family (SingleStack), two if the cluster has them (PreferDualStack) or two in any case, failing otherwise (RequireDualStack). Default SingleStack, or RequireDualStack if two addresses or families are given.",
    allocateLoadBalancerNodePorts:
      "Whether node ports are allocated for a LoadBalancer service. With false only ports that are named explicitly are, for load balancers that reach pods directly. Default true; only for LoadBalancer.",
    loadBalancerClass:
      "Which load balancer implementation serves the service, such as example.com/internal. If left out, that of the cloud provider. Only for LoadBalancer; immutable once set, until type changes.",
    internalTrafficPolicy:
      "Where traffic from within the cluster goes: Cluster (any endpoint) or Local (endpoints on the client's node; dropped if there are none). Default Cluster.",
  },
  ServicePort: {
    "": "One port of a service.",
    name: "Name of the port, unique within the service; required if there are several. Endpoints carry it, too.",
    protocol: `${protocol} Default TCP.`,
    appProtocol:
      "Application protocol that is spoken, as a hint for proxies: a standard service name such as https, or a name with a DNS prefix.",
    port: "Port number of the service, 1 to 65535. Unique together with the protocol.",
    targetPort:
      "Port of the pods that traffic goes to: a number, or the name of a container port, which may mean different numbers in different pods. Equals port if left out. Without effect for headless services.",
    nodePort:
      "Port of every node that leads to the service. Allocated from the node port range if 0. Only for NodePort and LoadBalancer; no two services share one.",
  },
  Service: {
    "": "A stable name and address for a changing set of pods.",
    metadata: objectMetadata,
    spec: "How the service is reached, and which pods are behind it.",
    status: "What was last seen of the service. Read-only for users.",
  },
  ServiceList: {
    "": "A list of services.",
    metadata: listMetadata,
    items: "The requested services.",
  },
  PortStatus: {
    "": "Status of one port of a load balancer.",
    port: "The port number.",
    protocol,
    error:
      "Why the port does not work: a word in CamelCase, with a DNS prefix if it is not one that the cluster defines. Null if it works.",
  },
  Endpoints: {
    "": "The addresses behind the service of the same name. Maintained by a controller if the service has a selector, otherwise by the creator of the service. EndpointSlices hold the same in parts and scale better; this object lists at most 1000 addresses.",
    metadata: objectMetadata,
    subsets:
      "Groups of addresses that offer the same ports. The endpoints of the service are all pairs of an address and a port of the same group.",
  },
  EndpointSubset: {
    "": "Addresses that share a set of ports. Each address combined with each port is an endpoint.",
    addresses: "Addresses that are ready for traffic.",
    notReadyAddresses:
      "Addresses that get no traffic for now, because the pod is starting, failing its readiness probe, or ending.",
    ports: "Ports that every address of the group serves. Names are required if there is more than one.",
  },
  EndpointAddress: {
    "": "One address behind a service.",
    ip: "The IP address. Loopback, link-local, link-local multicast and unspecified addresses are rejected.",
    hostname: "Host name of the endpoint, under which the cluster's DNS serves it for a headless service.",
    nodeName: "Node that the endpoint runs on, for those who prefer endpoints close by.",
    targetRef: "The object that has the address, usually a pod.",
  },
  EndpointPort: {
    "": "One port behind a service.",
    name: "Name of the port, equal to that of the service port it belongs to. May be empty only if there is a single port.",
    port: "The port number on the endpoint, 1 to 65535.",
    protocol: `${protocol} Default TCP.`,
    appProtocol:
      "Application protocol that is spoken, as a hint for proxies: a standard service name such as http, or a name with a DNS prefix.",
  },
  EndpointsList: {
    "": "A list of Endpoints objects.",
    metadata: listMetadata,
    items: "The Endpoints objects.",
  },
};
