import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const controllerRevisionDocumentation: TypeDocumentation = {
  ControllerRevision: {
    "": "A remembered earlier state of an object, which its controller can roll back to. DaemonSets and StatefulSets keep their pod templates in it; others should not rely on what is inside.",
    data: "The remembered state, in a form that only the controller needs to know. Can't be changed.",
    revision: "Its place in the history: greater is newer. A rollback gives the old state a new, greater number.",
  },
};
