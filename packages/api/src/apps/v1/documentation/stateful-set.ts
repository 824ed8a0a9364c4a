import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const statefulSetDocumentation: TypeDocumentation = {
  StatefulSet: {
    "": "Pods that have an identity: each keeps its number, its name, its name in DNS and its volumes, even when it is replaced or moves to another node.",
    spec: "The pods and volumes that are wanted.",
    status: "The pods that there are. Written by orch-controller-manager; may lag behind.",
  },
  StatefulSetSpec: {
    "": "The wanted state of a StatefulSet. Besides replicas, template, updateStrategy, persistentVolumeClaimRetentionPolicy, minReadySeconds and ordinals nothing in it can be changed.",
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
      "Seconds that a new pod must be ready without a break before it counts as available. Default: 0, at once.",
    persistentVolumeClaimRetentionPolicy:
      "What becomes of the claims made from volumeClaimTemplates. Needs the feature gate StatefulSetAutoDeletePVC; without it all claims stay.",
    ordinals: "How the pods are numbered. Needs the feature gate StatefulSetStartOrdinal. Default: from 0.",
  },
  StatefulSetOrdinals: {
    "": "How the pods of a StatefulSet are numbered.",
    start: "Number of the first pod; the others follow without gaps. Not negative. Default: 0.",
  },
  StatefulSetPersistentVolumeClaimRetentionPolicy: {
    "": "What becomes of the claims of pods that are gone for good.",
    whenDeleted: "When the set itself is deleted: Retain (the default) keeps the claims, Delete removes them.",
    whenScaled: "When replicas is lowered: Retain (the default) keeps the claims of surplus pods, Delete removes them.",
  },
  StatefulSetUpdateStrategy: {
    "": "How the pods of an old template give way to those of a new one.",
    type: "RollingUpdate (the default) replaces pods from the highest number to the lowest; OnDelete waits until somebody deletes an old pod.",
    rollingUpdate: "Bounds of a rolling update. Only used when type is RollingUpdate.",
  },
  RollingUpdateStatefulSetStrategy: {
    "": "Which pods a rolling update of a StatefulSet replaces, and how many at a time.",
    partition:
      "Only pods with this number or a higher one are replaced; the others keep the old template, also when they are created anew. Default: 0, all.",
    maxUnavailable:
      "How many pods may be unavailable meanwhile: a number, or a percentage of replicas, rounded up, never 0. Needs the feature gate MaxUnavailableStatefulSet. Default: 1.",
  },
  StatefulSetStatus: {
    "": "What the stateful set controller last saw.",
    observedGeneration: "The metadata.generation that this status is about.",
    replicas: "Pods that exist.",
    readyReplicas: "Those among them that are ready.",
    currentReplicas: "Those among them that were made from currentRevision.",
    updatedReplicas: "Those among them that were made from updateRevision.",
    currentRevision: "Name of the ControllerRevision that pods which are not updated yet were made from.",
    updateRevision:
      "Name of the ControllerRevision of the present template. Equal to currentRevision when no update is under way.",
    collisionCount:
      "How often the name of a new ControllerRevision was already taken by another one. It goes into the hash that makes the next name.",
    conditions: "Summaries of the state, one of each type.",
    availableReplicas: "Pods that have been ready for minReadySeconds.",
  },
  StatefulSetCondition: {
    "": "One aspect of a StatefulSet's state.",
    type: "Which aspect, in CamelCase.",
    status: "True, False, or Unknown when nobody can tell.",
    lastTransitionTime: "When status last changed.",
    reason: "One CamelCase word that says why, for programs.",
    message: "What happened, for people.",
  },
};
