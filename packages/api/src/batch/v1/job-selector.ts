import {
  type Draft,
  type FieldError,
  type FieldPath,
  field,
  goStringMap,
  type ObjectMeta,
} from "@orchernetes/apimachinery";
import { compileSelector, printLabelSelector } from "../../shared/label-selectors.ts";
import type { Job } from "./types.ts";

/** Labels of a Job's pods: the Job's uid and name, in the current and the older spelling. */
const jobLabels = Object.freeze({
  controllerUid: "batch.orchernetes.io/controller-uid",
  jobName: "batch.orchernetes.io/job-name",
  legacyControllerUid: "controller-uid",
  legacyJobName: "job-name",
});

const isManual = (job: { readonly spec: { readonly manualSelector?: boolean | undefined } }): boolean =>
  job.spec.manualSelector === true;

/**
 * Sets the selector of a new Job to one that only its own pods match, and the labels for it in the template: pods of an
 * earlier Job of the same name must not be counted. Does nothing for a manual selector. Existing labels stay;
 * validation rejects wrong ones.
 */
export function generateJobSelector(job: Draft<Job>): void {
  if (isManual(job)) {
    return;
  }
  const uid = job.metadata.uid ?? "";
  const name = job.metadata.name ?? "";
  job.spec.template.metadata.labels = {
    [jobLabels.legacyJobName]: name,
    [jobLabels.jobName]: name,
    [jobLabels.legacyControllerUid]: uid,
    [jobLabels.controllerUid]: uid,
    ...job.spec.template.metadata.labels,
  };
  job.spec.selector = {
    ...job.spec.selector,
    matchLabels: { [jobLabels.controllerUid]: uid, ...job.spec.selector?.matchLabels },
  };
}

/** Validates a generated selector: it and the labels of the template must be those of this Job. */
export function validateGeneratedSelector(job: Job): FieldError[] {
  if (isManual(job) || job.spec.selector === undefined) {
    return [];
  }
  const uid = job.metadata.uid ?? "";
  const name = job.metadata.name ?? "";
  const metadata = field("spec").child("template", "metadata");
  const errors: FieldError[] = uid === "" ? [field.required(field("metadata").child("uid"))] : [];
  const wanted = {
    [jobLabels.legacyControllerUid]: uid,
    [jobLabels.legacyJobName]: name,
    [jobLabels.controllerUid]: uid,
    [jobLabels.jobName]: name,
  };
  for (const [key, value] of Object.entries(wanted)) {
    errors.push(...validateHasLabel(job.spec.template.metadata, key, value, metadata));
  }
  const selector = compileSelector(job.spec.selector);
  if (selector !== undefined && !selector.matches(wanted)) {
    const printed = printLabelSelector(job.spec.selector);
    errors.push(field.invalid(field("spec").child("selector"), printed, "`selector` not auto-generated"));
  }
  return errors;
}

function validateHasLabel(metadata: ObjectMeta, key: string, value: string, path: FieldPath): FieldError[] {
  const labels = metadata.labels ?? {};
  const at = path.child("labels");
  if (!Object.hasOwn(labels, key)) {
    return [field.required(at.key(key), `must be '${value}'`)];
  }
  return labels[key] === value ? [] : [field.invalid(at.key(key), goStringMap(labels), `must be '${value}'`)];
}
