import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const deploymentDocumentation: TypeDocumentation = {
  Deployment: {
    "": "A number of equal pods that is kept running and is moved to a new pod template step by step. It owns one ReplicaSet for each template that is still remembered.",
    spec: "The pods that are wanted and how they are replaced.",
    status: "How far the deployment controller has come. Written by orch-controller-manager.",
  },
  DeploymentSpec: {
    "": "The wanted state of a Deployment.",
    replicas: "How many pods should run. 0 stops all of them. Default: 1.",
    selector:
      "Which pods belong to the Deployment; the labels of the template must match. Can't be changed. It must not overlap with that of another controller in the namespace.",
    template: "What the pods look like. Any change of it starts a rollout. Its restartPolicy can only be Always.",
    strategy: "How old pods give way to new ones.",
    minReadySeconds:
      "Seconds that a new pod must be ready without a break before it counts as available and the rollout goes on. Default: 0, at once.",
    revisionHistoryLimit:
      "How many old ReplicaSets without pods are kept to roll back to; 0 keeps none, so that no rollback is possible. Default: 10.",
    paused:
      "While true, changes of the template start no rollout; scaling still works. Several changes can be gathered into one rollout this way.",
    progressDeadlineSeconds:
      "Seconds that a rollout may make no progress before the condition Progressing turns False with the reason ProgressDeadlineExceeded; nothing is rolled back. Must be greater than minReadySeconds; time spent paused does not count. Default: 600.",
  },
  DeploymentStrategy: {
    "": "How the pods of an old template are replaced by those of a new one.",
    type: "RollingUpdate (the default) replaces pods little by little; Recreate ends all old pods before the first new one starts.",
    rollingUpdate: "Bounds of a rolling update. Only allowed when type is RollingUpdate.",
  },
  RollingUpdateDeployment: {
    "": "How far a rolling update may stray from the wanted number of pods.",
    maxUnavailable:
      "How many of the wanted pods may be unavailable meanwhile: a number, or a percentage of replicas, rounded down. Not 0 when maxSurge is 0. Default: 25%.",
    maxSurge:
      "How many pods beyond replicas may exist meanwhile: a number, or a percentage of replicas, rounded up. Not 0 when maxUnavailable is 0. Default: 25%.",
  },
  DeploymentStatus: {
    "": "What the deployment controller last saw.",
    observedGeneration:
      "The metadata.generation that this status is about; when it is lower than the present one, the newest spec was not looked at yet.",
    replicas: "Pods of any template that exist and are not being deleted.",
    updatedReplicas: "Those among them that were made from the present template.",
    readyReplicas: "Those among them that are ready.",
    availableReplicas: "Those among them that have been ready for minReadySeconds.",
    unavailableReplicas:
      "How many pods are missing until all that should exist are available, whether they don't run yet or were never created.",
    conditions: "Summaries of the state: Available, Progressing and ReplicaFailure.",
    collisionCount:
      "How often the name of a new ReplicaSet was already taken by another one. It goes into the hash that makes the next name.",
  },
  DeploymentCondition: {
    "": "One aspect of a Deployment's state.",
    type: "Which aspect: Available (enough pods are), Progressing (the rollout moves or is complete) or ReplicaFailure (pods could not be created or deleted).",
    status: "True, False, or Unknown when nobody can tell.",
    lastUpdateTime:
      "When the condition was last written, whether or not its status changed; Progressing uses it to measure the deadline.",
    lastTransitionTime: "When status last changed.",
    reason: "One CamelCase word that says why, for programs.",
    message: "What happened, for people.",
  },
};
