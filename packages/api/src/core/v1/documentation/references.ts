import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types in `types/references.ts`. */
export const documentation: TypeDocumentation = {
  ObjectReference: {
    "": "Refers to an object, or to a part of one. Which fields are needed depends on where it is used.",
    kind: "Kind of the object.",
    namespace: "Namespace of the object; empty for objects of the whole cluster.",
    name: "Name of the object.",
    uid: "UID of the object, if the reference is to exactly this object and not to a later one of the same name.",
    apiVersion: "Group and version of the object's kind.",
    resourceVersion: "The version of the object that the reference is to, if to a particular one.",
    fieldPath:
      "The part of the object that the reference is to, such as spec.containers{web} for the container named web or spec.containers[2] for the third one.",
  },
  LocalObjectReference: {
    "": "Names an object in the same namespace. Its kind depends on where the reference is used.",
    name: "Name of the object.",
  },
  TypedLocalObjectReference: {
    "": "Names an object of any kind in the same namespace.",
    apiGroup: "API group of the kind. The core group if absent.",
    kind: "Kind of the object.",
    name: "Name of the object.",
  },
  SerializedReference: {
    "": "A reference to an object, wrapped so that it can stand alone in a file or annotation.",
    reference: "The object that is referred to.",
  },
};
