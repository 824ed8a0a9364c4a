import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const daemonSetDocumentation: TypeDocumentation = {
  DaemonSet: {
    "": "One pod on every node, or on every node that the pod template allows: for agents that look after storage, networks or logs.",
    spec: "The pod that each node should run and how it is replaced.",
    status: "On how many nodes the pod runs, and how well. Written by orch-controller-manager.",
  },
  DaemonSetSpec: {
    "": "The wanted state of a DaemonSet.",
    selector: "Which pods belong to the set; the labels of the template must match. Can't be changed.",
    template:
      "What the pod looks like. Its nodeSelector and node affinity say which nodes get one; its restartPolicy can only be Always.",
    updateStrategy: "How pods of an old template are replaced.",
    minReadySeconds:
      "Seconds that a new pod must be ready without a break before it counts as available. Default: 0, at once.",
    revisionHistoryLimit: "How many old templates are kept as ControllerRevisions to roll back to. Default: 10.",
  },
  DaemonSetUpdateStrategy: {
    "": "How the pods of an old template give way to those of a new one.",
    type: "RollingUpdate (the default) replaces pods node by node; OnDelete waits until somebody deletes an old pod and then creates the new one.",
    rollingUpdate: "Bounds of a rolling update. Only used when type is RollingUpdate.",
  },
  RollingUpdateDaemonSet: {
    "": "How many nodes a rolling update of a DaemonSet works on at a time.",
    maxUnavailable:
      "On how many nodes the pod may be unavailable meanwhile: a number, or a percentage of the nodes that should run one, rounded up. 0 only when maxSurge is not 0. Default: 1.",
    maxSurge:
      "On how many nodes a new pod may run beside the old one until it is available: a number, or a percentage of the nodes that should run one, rounded up. Unlike maxUnavailable it needs room for both pods. Default: 0.",
  },
  DaemonSetStatus: {
    "": "What the daemon set controller last saw, counted in nodes.",
    currentNumberScheduled: "Nodes that run at least one pod of the set, and should.",
    numberMisscheduled: "Nodes that run a pod of the set, but should not.",
    desiredNumberScheduled: "Nodes that should run a pod of the set, whether they do or not.",
    numberReady: "Nodes that should run the pod and have one that is ready.",
    observedGeneration: "The metadata.generation that this status is about.",
    updatedNumberScheduled: "Nodes that run a pod made from the present template.",
    numberAvailable: "Nodes that should run the pod and have one that has been ready for minReadySeconds.",
    numberUnavailable: "Nodes that should run the pod and have none that is available.",
    collisionCount:
      "How often the name of a new ControllerRevision was already taken by another one. It goes into the hash that makes the next name.",
    conditions: "Summaries of the state, one of each type.",
  },
  DaemonSetCondition: {
    "": "One aspect of a DaemonSet's state.",
    type: "Which aspect, in CamelCase.",
    status: "True, False, or Unknown when nobody can tell.",
    lastTransitionTime: "When status last changed.",
    reason: "One CamelCase word that says why, for programs.",
    message: "What happened, for people.",
  },
};
