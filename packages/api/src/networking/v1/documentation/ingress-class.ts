import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const ingressClassDocumentation: TypeDocumentation = {
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
};
