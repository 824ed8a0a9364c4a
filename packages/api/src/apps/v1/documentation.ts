import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of apps/v1. */
export const documentation: TypeDocumentation = {
  Deployment: {
    "": "Keeps a number of identical pods running and moves them to a new pod template step by step. It owns one ReplicaSet for each template that is in its revision history.",
    spec: "The pods that are wanted and how they are replaced.",
    status: "Progress of the deployment controller. Written by orch-controller-manager.",
  },
  DeploymentSpec: {
    "": "Desired state of a Deployment.",
    replicas: "How many pods should run. 0 stops all of them. Default: 1.",
    selector:
      "Which pods belong to the Deployment; the labels of the template must match. Can't be changed. It must not overlap with that of another controller in the namespace.",
    template: "What the pods look like. Any change of it starts a rollout. Its restartPolicy can only be Always.",
    strategy: "How old pods are replaced by new ones.",
    minReadySeconds:
      "Seconds that a new pod must be ready without interruption before it counts as available and the rollout continues. Default: 0, immediately.",
    revisionHistoryLimit:
      "How many old ReplicaSets without pods are kept to roll back to; 0 keeps none, so that no rollback is possible. Default: 10.",
    paused:
      "While true, changes of the template start no rollout; scaling still works. Several changes can be combined into one rollout this way.",
    progressDeadlineSeconds:
      "Seconds that a rollout may make no progress before the condition Progressing becomes False with the reason ProgressDeadlineExceeded; nothing is rolled back. Must be greater than minReadySeconds; time spent paused does not count. Default: 600.",
  },
  DeploymentStrategy: {
    "": "How the pods of an old template are replaced by those of a new one.",
    type: "RollingUpdate (the default) replaces pods little by little; Recreate stops all old pods before the first new one starts.",
    rollingUpdate: "Limits of a rolling update. Only allowed when type is RollingUpdate.",
  },
  RollingUpdateDeployment: {
    "": "How far a rolling update may deviate from the desired number of pods.",
    maxUnavailable:
      "How many of the wanted pods may be unavailable meanwhile: a number, or a percentage of replicas, rounded down. Not 0 when maxSurge is 0. Default: 25%.",
    maxSurge:
      "How many pods beyond replicas may exist meanwhile: a number, or a percentage of replicas, rounded up. Not 0 when maxUnavailable is 0. Default: 25%.",
  },
  DeploymentStatus: {
    "": "What the deployment controller last saw.",
    observedGeneration:
      "The metadata.generation that this status refers to; when it is lower than the current one, the newest spec has not been observed yet.",
    replicas: "Pods of any template that exist and are not being deleted.",
    updatedReplicas: "Those among them that were created from the current template.",
    readyReplicas: "Those among them that are ready.",
    availableReplicas: "Those among them that have been ready for minReadySeconds.",
    unavailableReplicas:
      "How many pods are missing until all that should exist are available, whether they don't run yet or were never created.",
    conditions: "Summaries of the state: Available, Progressing and ReplicaFailure.",
    collisionCount:
      "How often the name of a new ReplicaSet was already taken by another one. It is part of the input of the hash from which the next name is made.",
  },
  DeploymentCondition: {
    "": "One aspect of a Deployment's state.",
    type: "Which aspect: Available (enough pods are), Progressing (the rollout moves or is complete) or ReplicaFailure (pods could not be created or deleted).",
    status: "True, False, or Unknown if it cannot be determined.",
    lastUpdateTime:
      "When the condition was last written, whether or not its status changed; Progressing uses it to measure the deadline.",
    lastTransitionTime: "When status last changed.",
    reason: "A machine-readable reason in CamelCase.",
    message: "A human-readable description of what happened.",
  },
  ReplicaSet: {
    "": "A number of equal pods that is kept running: missing ones are created, surplus ones deleted. Usually made by a Deployment rather than by hand.",
    spec: "The pods that are wanted.",
    status: "The pods that there are. Written by orch-controller-manager; may lag behind.",
  },
  ReplicaSetSpec: {
    "": "Desired state of a ReplicaSet.",
    replicas: "How many pods should run; 0 is allowed. Default: 1.",
    minReadySeconds:
      "Seconds that a pod must be ready without interruption before it counts as available. Default: 0, immediately.",
    selector:
      "Which pods belong to the set; the labels of the template must match. Pods without a controller that match are adopted. Can't be changed.",
    template: "What new pods look like. A change of it does not touch pods that exist already.",
  },
  ReplicaSetStatus: {
    "": "What the replica set controller last saw.",
    replicas: "Pods that exist and are not being deleted.",
    fullyLabeledReplicas: "Those among them that have all labels of the template.",
    readyReplicas: "Those among them that are ready.",
    availableReplicas: "Those among them that have been ready for minReadySeconds.",
    observedGeneration: "The metadata.generation that this status refers to.",
    conditions: "Summaries of the state; only ReplicaFailure is used.",
  },
  ReplicaSetCondition: {
    "": "One aspect of a ReplicaSet's state.",
    type: "Which aspect. ReplicaFailure: a pod could not be created, for instance because of a quota, or not deleted.",
    status: "True, False, or Unknown if it cannot be determined.",
    lastTransitionTime: "When status last changed.",
    reason: "A machine-readable reason in CamelCase, such as FailedCreate.",
    message: "A human-readable description of what happened.",
  },
  DaemonSet: {
    "": "One pod on every node, or on every node that the pod template allows: for agents that look after storage, networks or logs.",
    spec: "The pod that each node should run and how it is replaced.",
    status: "On how many nodes the pod runs, and how well. Written by orch-controller-manager.",
  },
  DaemonSetSpec: {
    "": "Desired state of a DaemonSet.",
    selector: "Which pods belong to the set; the labels of the template must match. Can't be changed.",
    template:
      "What the pod looks like. Its nodeSelector and node affinity say which nodes get one; its restartPolicy can only be Always.",
    updateStrategy: "How pods of an old template are replaced.",
    minReadySeconds:
      "Seconds that a new pod must be ready without interruption before it counts as available. Default: 0, immediately.",
    revisionHistoryLimit: "How many old templates are kept as ControllerRevisions to roll back to. Default: 10.",
  },
  DaemonSetUpdateStrategy: {
    "": "How the pods of an old template give way to those of a new one.",
    type: "RollingUpdate (the default) replaces pods node by node; OnDelete creates the new pod after an old one was deleted by hand.",
    rollingUpdate: "Limits of a rolling update. Only used when type is RollingUpdate.",
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
    observedGeneration: "The metadata.generation that this status refers to.",
    updatedNumberScheduled: "Nodes that run a pod created from the current template.",
    numberAvailable: "Nodes that should run the pod and have one that has been ready for minReadySeconds.",
    numberUnavailable: "Nodes that should run the pod and have none that is available.",
    collisionCount:
      "How often the name of a new ControllerRevision was already taken by another one. It is part of the input of the hash from which the next name is made.",
    conditions: "Summaries of the state, one of each type.",
  },
  DaemonSetCondition: {
    "": "One aspect of a DaemonSet's state.",
    type: "Which aspect, in CamelCase.",
    status: "True, False, or Unknown if it cannot be determined.",
    lastTransitionTime: "When status last changed.",
    reason: "A machine-readable reason in CamelCase.",
    message: "A human-readable description of what happened.",
  },
  StatefulSet: {
    "": "Pods that have an identity: each keeps its number, its name, its name in DNS and its volumes, even when it is replaced or moves to another node.",
    spec: "The pods and volumes that are wanted.",
    status: "The pods that there are. Written by orch-controller-manager; may lag behind.",
  },
  StatefulSetSpec: {
    "": "Desired state of a StatefulSet. Besides replicas, template, updateStrategy, persistentVolumeClaimRetentionPolicy, minReadySeconds and ordinals nothing in it can be changed.",
    replicas:
      "How many pods should run; 0 is allowed. Pods are numbered, and those with the highest numbers go first. Default: 1.",
    selector: "Which pods belong to the set; the labels of the template must match. Can't be changed.",
    template:
      "What the pods look like. Each pod gets the name of the set with its number behind it, such as web-0. Its restartPolicy can only be Always.",
    volumeClaimTemplates:
      "Claims that each pod gets for itself. The claim is named after the template, the set and the pod's number, and serves the pod again when it comes back. It goes before a volume of the same name in the pod template. Can't be changed.",
    serviceName:
      "The headless Service that gives the pods their names in DNS, such as web-0.SERVICE.NAMESPACE.svc. It has to be created separately. Can't be changed.",
    podManagementPolicy:
      "OrderedReady (the default) starts pods one after the other, each when the one before is ready, and ends them in the opposite order; Parallel does not wait. Can't be changed.",
    updateStrategy: "How pods of an old template are replaced.",
    revisionHistoryLimit: "How many old templates are kept as ControllerRevisions to roll back to. Default: 10.",
    minReadySeconds:
      "Seconds that a new pod must be ready without interruption before it counts as available. Default: 0, immediately.",
    persistentVolumeClaimRetentionPolicy:
      "What happens to the claims made from volumeClaimTemplates. Needs the feature gate StatefulSetAutoDeletePVC; without it all claims stay.",
    ordinals: "How the pods are numbered. Needs the feature gate StatefulSetStartOrdinal. Default: from 0.",
  },
  StatefulSetOrdinals: {
    "": "How the pods of a StatefulSet are numbered.",
    start: "Number of the first pod; the others follow without gaps. Not negative. Default: 0.",
  },
  StatefulSetPersistentVolumeClaimRetentionPolicy: {
    "": "What happens to the claims of pods that are removed permanently.",
    whenDeleted: "When the set itself is deleted: Retain (the default) keeps the claims, Delete removes them.",
    whenScaled: "When replicas is lowered: Retain (the default) keeps the claims of surplus pods, Delete removes them.",
  },
  StatefulSetUpdateStrategy: {
    "": "How the pods of an old template give way to those of a new one.",
    type: "RollingUpdate (the default) replaces pods from the highest number to the lowest; OnDelete waits until an old pod is deleted by hand.",
    rollingUpdate: "Limits of a rolling update. Only used when type is RollingUpdate.",
  },
  RollingUpdateStatefulSetStrategy: {
    "": "Which pods a rolling update of a StatefulSet replaces, and how many at a time.",
    partition:
      "Only pods with this number or a higher one are replaced; the others keep the old template, also when they are created again. Default: 0, all.",
    maxUnavailable:
      "How many pods may be unavailable meanwhile: a number, or a percentage of replicas, rounded up, never 0. Needs the feature gate MaxUnavailableStatefulSet. Default: 1.",
  },
  StatefulSetStatus: {
    "": "What the stateful set controller last saw.",
    observedGeneration: "The metadata.generation that this status refers to.",
    replicas: "Pods that exist.",
    readyReplicas: "Those among them that are ready.",
    currentReplicas: "Those among them that were made from currentRevision.",
    updatedReplicas: "Those among them that were made from updateRevision.",
    currentRevision: "Name of the ControllerRevision that pods which are not updated yet were made from.",
    updateRevision:
      "Name of the ControllerRevision of the present template. Equal to currentRevision when no update is in progress.",
    collisionCount:
      "How often the name of a new ControllerRevision was already taken by another one. It is part of the input of the hash from which the next name is made.",
    conditions: "Summaries of the state, one of each type.",
    availableReplicas: "Pods that have been ready for minReadySeconds.",
  },
  StatefulSetCondition: {
    "": "One aspect of a StatefulSet's state.",
    type: "Which aspect, in CamelCase.",
    status: "True, False, or Unknown if it cannot be determined.",
    lastTransitionTime: "When status last changed.",
    reason: "A machine-readable reason in CamelCase.",
    message: "A human-readable description of what happened.",
  },
  ControllerRevision: {
    "": "A remembered earlier state of an object, which its controller can roll back to. DaemonSets and StatefulSets keep their pod templates in it; others should not rely on what is inside.",
    data: "The remembered state, in a form that only the controller needs to know. Can't be changed.",
    revision: "Its place in the history: greater is newer. A rollback gives the old state a new, greater number.",
  },
};
