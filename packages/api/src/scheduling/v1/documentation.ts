import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of scheduling.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  PriorityClass: {
    "": "Gives a name to a priority of pods. Pods refer to it by priorityClassName, and admission copies the number into them.",
    value:
      "The priority: pods with a higher one are scheduled first and may push others away. At most 1000000000 for classes of users; those whose name begins with system- may have more. Can't be changed.",
    globalDefault:
      "Whether pods that name no class get this one. At most one class should say so; if several do, the lowest value is used. Pods that exist are not touched. Default: false.",
    description: "When to use the class, for people.",
    preemptionPolicy:
      "PreemptLowerPriority (the default): pods of lower priority are evicted when there is no other room. Never: pods wait, though at the front of the queue. Can't be changed.",
  },
};
