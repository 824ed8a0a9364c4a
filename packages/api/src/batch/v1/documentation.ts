import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of batch/v1. */
export const documentation: TypeDocumentation = {
  Job: {
    "": "Runs pods until enough of them have succeeded. Pods that fail are retried.",
    spec: "The work and how it is retried.",
    status: "Progress of the work. Written by orch-controller-manager.",
  },
  JobSpec: {
    "": "Desired behaviour of a Job.",
    parallelism:
      "How many pods may run at the same time. Fewer run when less work is left. 0 pauses the work. Default: 1.",
    completions:
      "How many pods must succeed. When absent, any success ends the Job as soon as all its pods have ended, regardless of parallelism. Can't be changed, except together with parallelism for Indexed Jobs. Default: 1 when parallelism is absent, too.",
    activeDeadlineSeconds:
      "Seconds after status.startTime when the Job fails with all its pods, regardless of backoffLimit. Must be positive. The time while a Job is suspended does not count. Default: no limit.",
    podFailurePolicy:
      "Rules that decide by exit code or pod condition what a failed pod means for the Job. Needs restartPolicy Never in the template. Default: every failure counts towards backoffLimit.",
    backoffLimit:
      "How many failures are retried before the Job is marked failed. With restartPolicy OnFailure container restarts count, too. Default: 6.",
    selector:
      "Which pods belong to the Job. The server fills it in, unique to the Job, unless manualSelector is true. Can't be changed.",
    manualSelector:
      "True when the creator chose the selector and the labels of the template, and is responsible for making sure that no other Job shares them. Can't be changed. Default: false.",
    template:
      "What the pods look like. Its restartPolicy can only be Never or OnFailure. Can't be changed while the Job runs, except for scheduling directives of a suspended Job.",
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
    succeeded: "Pods that have succeeded.",
    failed: "Pods that have failed.",
    completedIndexes:
      "For Indexed Jobs the indexes that have succeeded, in ascending order, with ranges abbreviated: 1,3-5,7.",
    uncountedTerminatedPods:
      "Pods that have ended but are not yet part of succeeded and failed. Together with a finalizer on each pod, this makes sure that every pod is counted exactly once.",
    ready: "Active pods that are ready.",
  },
  UncountedTerminatedPods: {
    "": "Pods that have ended but are not yet included in the counts of a Job's status.",
    succeeded: "UIDs of pods that succeeded.",
    failed: "UIDs of pods that failed.",
  },
  JobCondition: {
    "": "One aspect of a Job's state.",
    type: "Which aspect: Complete, Failed, FailureTarget (about to fail because of the failure policy) or Suspended.",
    status: "True, False, or Unknown if it cannot be determined.",
    lastProbeTime: "When the condition was last checked.",
    lastTransitionTime: "When status last changed.",
    reason: "A machine-readable reason in CamelCase, such as BackoffLimitExceeded or DeadlineExceeded.",
    message: "A human-readable description of what happened.",
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
    "": "Creates Jobs at the times of a schedule.",
    spec: "The schedule and the Jobs.",
    status: "Which Jobs run, and when the last one was created. Written by orch-controller-manager.",
  },
  CronJobSpec: {
    "": "Desired behaviour of a CronJob.",
    schedule:
      "Times in the form of cron: minute, hour, day of the month, month, day of the week; also words such as @hourly and @daily.",
    timeZone: "Name of the time zone of the schedule, such as Europe/Berlin. Default: that of orch-controller-manager.",
    startingDeadlineSeconds:
      "Seconds after its time within which a Job may still be created, for instance after an outage; after that it counts as missed. Not negative. Default: no limit.",
    concurrencyPolicy:
      "What happens when the previous Job still runs: Allow (the default) creates another one, Forbid skips this time, Replace deletes the old one.",
    suspend: "While true, no new Jobs are created; running ones are left alone. Default: false.",
    jobTemplate: "What the Jobs look like.",
    successfulJobsHistoryLimit: "How many successful Jobs are kept. Default: 3.",
    failedJobsHistoryLimit: "How many failed Jobs are kept. Default: 1.",
  },
  CronJobStatus: {
    "": "What the cron job controller last did.",
    active: "The Jobs that run now.",
    lastScheduleTime: "Scheduled time for which the last Job was created.",
    lastSuccessfulTime: "When a Job last succeeded.",
  },
};
