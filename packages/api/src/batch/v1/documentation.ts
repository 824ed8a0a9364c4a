import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of batch/v1. */
export const documentation: TypeDocumentation = {
  Job: {
    "": "Work that ends: pods are started, and started again when they fail, until enough of them have succeeded.",
    spec: "The work and how it is retried.",
    status: "Progress of the work. Written by orch-controller-manager.",
  },
  JobSpec: {
    "": "The wanted course of a Job.",
    parallelism:
      "How many pods may run at the same time. Fewer run when less work is left. 0 pauses the work. Default: 1.",
    completions:
      "How many pods must succeed. When absent, any success ends the Job as soon as all its pods have ended, whatever parallelism is. Can't be changed, except together with parallelism for Indexed Jobs. Default: 1 when parallelism is absent, too.",
    activeDeadlineSeconds:
      "Seconds after status.startTime when the Job fails with all its pods, whatever backoffLimit is. Must be positive. A suspended Job does not age. Default: no limit.",
    podFailurePolicy:
      "Rules that decide by exit code or pod condition what a failed pod means for the Job. Needs restartPolicy Never in the template. Default: every failure counts towards backoffLimit.",
    backoffLimit:
      "How many failures are retried before the Job is marked failed. With restartPolicy OnFailure container restarts count, too. Default: 6.",
    selector:
      "Which pods belong to the Job. The server fills it in, unique to the Job, unless manualSelector is true. Can't be changed.",
    manualSelector:
      "True when the creator chose the selector and the labels of the template, and answers for no other Job sharing them. Can't be changed. Default: false.",
    template:
      "What the pods look like. Its restartPolicy can only be Never or OnFailure. Can't be changed while the Job runs, save for scheduling directives of a suspended Job.",
    ttlSecondsAfterFinished:
      "Seconds after its end, successful or not, when the Job is deleted together with its pods; 0 deletes it immediately. Default: it is not deleted.",
    completionMode:
      "NonIndexed (the default): all pods are alike. Indexed: each pod has an index from 0 to completions - 1, in an annotation, a label, its host name and the variable JOB_COMPLETION_INDEX, and every index must succeed once. Can't be changed.",
    suspend:
      "While true, no pods are created and running ones are deleted; the time for activeDeadlineSeconds starts over on resuming. Default: false.",
  },
  JobStatus: {
    "": "Progress of a Job.",
    conditions:
      "Summaries of the state: Complete, Failed, FailureTarget and Suspended. A Job with Complete or Failed has ended and does nothing more.",
    startTime: "When the controller first worked on the Job; set again when a suspended Job is resumed.",
    completionTime: "When the Job succeeded; absent when it failed or still runs.",
    active: "Pods that are pending or running and not being deleted.",
    succeeded: "Pods that have ended well.",
    failed: "Pods that have failed.",
    completedIndexes:
      "For Indexed Jobs the indexes that have succeeded, in rising order, runs of them shortened: 1,3-5,7.",
    uncountedTerminatedPods:
      "Pods that have ended but are not yet part of succeeded and failed. Together with a finalizer on each pod it makes sure that every one is counted exactly once.",
    ready: "Active pods that are ready.",
  },
  UncountedTerminatedPods: {
    "": "Pods on the way into the counts of a Job's status.",
    succeeded: "UIDs of pods that ended well.",
    failed: "UIDs of pods that failed.",
  },
  JobCondition: {
    "": "One aspect of a Job's state.",
    type: "Which aspect: Complete, Failed, FailureTarget (about to fail because of the failure policy) or Suspended.",
    status: "True, False, or Unknown when nobody can tell.",
    lastProbeTime: "When the condition was last checked.",
    lastTransitionTime: "When status last changed.",
    reason: "One CamelCase word that says why, for programs, such as BackoffLimitExceeded or DeadlineExceeded.",
    message: "What happened, for people.",
  },
  JobTemplateSpec: {
    "": "What the Jobs of a CronJob look like.",
    metadata: "Labels and annotations of the Jobs. The name is made from that of the CronJob and the time.",
    spec: "The work of each Job.",
  },
  PodFailurePolicy: {
    "": "What failed pods mean for a Job.",
    rules:
      "Rules, tried in order: the first that matches a failed pod decides. When none does, the failure counts towards backoffLimit. At most 20.",
  },
  PodFailurePolicyRule: {
    "": "One rule about failed pods. It has exactly one of onExitCodes and onPodConditions.",
    action:
      "FailJob ends the Job as failed with all its pods; Ignore replaces the pod without counting the failure; Count counts it towards backoffLimit.",
    onExitCodes: "Matches by the exit codes of the pod's containers.",
    onPodConditions: "Matches when one of these patterns fits a condition of the pod. At most 20.",
  },
  PodFailurePolicyOnExitCodesRequirement: {
    "": "Matches failed pods by exit code. Containers that ended with 0 are not examined.",
    containerName: "Look at this container or init container only. Default: at all of them.",
    operator:
      "In: some container's exit code is one of values. NotIn: some container has failed, and its exit code is none of values.",
    values: "Exit codes, sorted and each once: 1 to 255 of them. With In, 0 is not allowed.",
  },
  PodFailurePolicyOnPodConditionsPattern: {
    "": "Matches failed pods by one of their conditions.",
    type: "Type of the condition, such as DisruptionTarget.",
    status: "Status that it must have. Default: True.",
  },
  CronJob: {
    "": "Makes a Job at the times of a schedule.",
    spec: "The schedule and the Jobs.",
    status: "Which Jobs run, and when the last one was made. Written by orch-controller-manager.",
  },
  CronJobSpec: {
    "": "The wanted course of a CronJob.",
    schedule:
      "Times in the form of cron: minute, hour, day of the month, month, day of the week; also words such as @hourly and @daily.",
    timeZone: "Name of the time zone of the schedule, such as Europe/Berlin. Default: that of orch-controller-manager.",
    startingDeadlineSeconds:
      "Seconds after its time within which a Job may still be made, for instance after an outage; later it counts as missed. Not negative. Default: no limit.",
    concurrencyPolicy:
      "What happens when the Job before still runs: Allow (the default) makes another one, Forbid leaves this time out, Replace deletes the old one.",
    suspend: "While true, no new Jobs are made; running ones are left alone. Default: false.",
    jobTemplate: "What the Jobs look like.",
    successfulJobsHistoryLimit: "How many successful Jobs are kept. Default: 3.",
    failedJobsHistoryLimit: "How many failed Jobs are kept. Default: 1.",
  },
  CronJobStatus: {
    "": "What the cron job controller last did.",
    active: "The Jobs that run now.",
    lastScheduleTime: "Time of the schedule for which the last Job was made.",
    lastSuccessfulTime: "When a Job last succeeded.",
  },
};
