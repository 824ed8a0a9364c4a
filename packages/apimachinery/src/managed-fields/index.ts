export { type FieldSet, isMember, pathSet, pathsOf, union as unionFields } from "./field-set.ts";
export {
  type Applied,
  type FieldTracker,
  type FieldTrackerOptions,
  fieldTracker,
  type OtherVersion,
  type TrackedObject,
  type Writer,
} from "./field-tracker.ts";
export { equalButForTimes } from "./managers.ts";
