import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of networking.o8s.io/v1alpha1. */
export const documentation: TypeDocumentation = {
  ClusterCIDR: {
    "": "A range of addresses from which nodes get ranges for their pods. When several fit a node, the one with the more specific nodeSelector is taken, then the one with fewer ranges left.",
    spec: "The range, how it is split and for which nodes. Can't be changed.",
  },
  ClusterCIDRSpec: {
    "": "A range of addresses, how it is split and for which nodes.",
    nodeSelector: "Nodes that get ranges from here. Default: all. Can't be changed.",
    perNodeHostBits:
      "How many bits of an address tell the pods of a node apart: 8 gives each node 256 addresses. At least 4. It holds for both families. Can't be changed.",
    ipv4: "The IPv4 range, such as 10.0.0.0/8. At least one of this and ipv6 is set. Can't be changed.",
    ipv6: "The IPv6 range, such as 2001:db8::/64. At least one of this and ipv4 is set. Can't be changed.",
  },
  IPAddress: {
    "": "An address that is taken. Its name is the address in its shortest form, so no address can be taken twice.",
    spec: "What the address is taken for.",
  },
  IPAddressSpec: {
    "": "What an address is taken for.",
    parentRef: "The object that has the address, usually a Service. Required. Can't be changed.",
  },
  ParentReference: {
    "": "The object that has an address.",
    group: 'Group of the object\'s resource; "" is the core group.',
    resource: "Plural name of the object's resource, such as services.",
    namespace: "Namespace of the object, if it lies in one.",
    name: "Name of the object.",
    uid: "UID of the object.",
  },
};
