import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of resource.o8s.io/v1alpha2. */
export const documentation: TypeDocumentation = {
  ResourceClass: {
    "": "A kind of device or other resource that a driver allocates; claims refer to it by name.",
    driverName: "Name of the driver, in the form of a DNS name.",
    parametersRef: "An object with settings that the driver uses for all claims of the class.",
    suitableNodes: "Nodes on which the resource can be had. Default: any.",
  },
  ResourceClassParametersReference: {
    "": "Names an object with settings of a class.",
    apiGroup: "Group of the object's kind. Default: the core group.",
    kind: "Kind of the object.",
    name: "Name of the object.",
    namespace: "Namespace of the object, if it lies in one.",
  },
  ResourceClaim: {
    "": "Requests a resource that pods then use together or one after the other. A driver grants it.",
    spec: "What is requested. Can't be changed.",
    status: "What was granted, and to whom.",
  },
  ResourceClaimSpec: {
    "": "What a claim requests.",
    resourceClassName: "Name of the ResourceClass, and so the driver.",
    parametersRef: "An object of the same namespace with settings for this claim.",
    allocationMode:
      "When the claim is granted: WaitForFirstConsumer (the default) when a pod that uses it is scheduled, Immediate as soon as it is created.",
  },
  ResourceClaimParametersReference: {
    "": "Names an object with settings of a claim, in the same namespace.",
    apiGroup: "Group of the object's kind. Default: the core group.",
    kind: "Kind of the object, which the driver must know.",
    name: "Name of the object.",
  },
  ResourceClaimStatus: {
    "": "What was granted to a claim, and to whom.",
    driverName: "Name of the driver that granted it.",
    allocation: "What was granted; absent while nothing is.",
    reservedFor:
      "Who may use it now, at most 32. Pods on this list may run; the claim can't be taken back before it is empty.",
    deallocationRequested:
      "Whether the driver should take the grant back. From then on nobody new may use it; the driver resets this together with allocation.",
  },
  AllocationResult: {
    "": "What was granted to a claim.",
    resourceHandles:
      "What the drivers on the node need to prepare the resource, one for each driver; at most 32. Default: the driver of the claim, without data.",
    availableOnNodes: "Nodes on which the resource can be used. Default: any.",
    shareable: "Whether several users can have it at the same time. Default: false.",
  },
  ResourceHandle: {
    "": "What a driver on the node needs to prepare a resource.",
    driverName: "Name of the driver.",
    data: "Text for that driver, which nobody else looks into. At most 16 KiB.",
  },
  ResourceClaimConsumerReference: {
    "": "Somebody who may use a claim, in the same namespace.",
    apiGroup: 'Group of the object\'s resource; "" is the core group.',
    resource: "Plural name of the object's resource, such as pods.",
    name: "Name of the object.",
    uid: "UID of the object.",
  },
  ResourceClaimTemplate: {
    "": "A template for claims: each pod that refers to it gets a claim of its own, which is deleted together with the pod.",
    spec: "What the claims look like. Can't be changed.",
  },
  ResourceClaimTemplateSpec: {
    "": "What claims made from a template look like.",
    metadata: "Labels and annotations of the claims; nothing else is allowed.",
    spec: "The spec of the claims, copied unchanged.",
  },
  PodSchedulingContext: {
    "": "How orch-scheduler and drivers agree on a node for a pod with claims that are granted on scheduling. It has the pod's name and is owned by it.",
    spec: "What orch-scheduler asks.",
    status: "What the drivers answer.",
  },
  PodSchedulingContextSpec: {
    "": "What orch-scheduler asks of the drivers.",
    selectedNode: "Node for which the claims of the pod should be granted now.",
    potentialNodes:
      "Nodes that might do for the pod, about which drivers should say whether their claims could be granted; at most 128.",
  },
  PodSchedulingContextStatus: {
    "": "What the drivers answer.",
    resourceClaims: "One item for each claim of the pod that is granted on scheduling.",
  },
  ResourceClaimSchedulingStatus: {
    "": "What a driver says about a claim of the pod.",
    name: "Name of the claim as the pod lists it in spec.resourceClaims.",
    unsuitableNodes: "Those of potentialNodes where the claim can't be granted; at most 128.",
  },
};
