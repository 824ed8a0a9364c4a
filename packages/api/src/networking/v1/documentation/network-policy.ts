import type { TypeDocumentation } from "@orchernetes/apimachinery";

const policyPorts = "Ports that may be used. When empty or absent, all of them.";

export const networkPolicyDocumentation: TypeDocumentation = {
  NetworkPolicy: {
    "": "Which connections some pods may have. It works only where the network plugin of the nodes enforces it.",
    spec: "The pods and the connections allowed to them.",
    status: "What the network plugin says about the policy.",
  },
  NetworkPolicySpec: {
    "": "The wanted rules. A pod that no policy selects for a direction is open in that direction; otherwise only what some policy allows is possible.",
    podSelector: "The pods of the namespace that the policy is about. An empty selector means all of them.",
    ingress:
      "Allowed connections to the pods; one matching rule of any policy is enough. When empty and the policy is about Ingress, nothing gets in.",
    egress:
      "Allowed connections from the pods; one matching rule of any policy is enough. When empty and the policy is about Egress, nothing gets out, not even to DNS.",
    policyTypes:
      "Which directions the policy is about: Ingress, Egress. Default: Ingress, and Egress when there are egress rules.",
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
