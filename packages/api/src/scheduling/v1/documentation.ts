import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of scheduling.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  PriorityClass: {
    "": "Names a priority of pods. Pods refer to it by priorityClassName, and admission copies the value into them.",
    value:
      "The priority: pods with a higher one are scheduled first and may preempt others. At most 1000000000 for user-defined classes; those whose name begins with system- may have more. Can't be changed.",
    globalDefault:
      "Whether pods that name no class get this one. At most one class should say so; if several do, the lowest value is used. Existing pods are not changed. Default: false.",
    description: "A human-readable description of when to use the class.",
    preemptionPolicy:
      "PreemptLowerPriority (the default): pods of lower priority are preempted if there is no other room. Never: pods wait, although ahead of pods of lower priority. Can't be changed.",
  },
};
