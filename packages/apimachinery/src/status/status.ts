import { ListMeta } from "../resource/object-meta.ts";
import { type Infer, int32, list, message, object, optional, pointer, string, value } from "../schema/index.ts";

const pkg = "meta/v1";

/** One cause of a failure: the field and its error. */
export const StatusCause = message(pkg, "StatusCause", () => ({
  reason: optional(1, string),
  message: optional(2, string),
  field: optional(3, string),
}));
export interface StatusCause extends Infer<typeof StatusCause> {}

/** The object of a failure. `kind` is the resource's plural or the kind, depending on the error. */
export const StatusDetails = message(pkg, "StatusDetails", () => ({
  name: optional(1, string),
  group: optional(2, string),
  kind: optional(3, string),
  uid: optional(6, string),
  causes: optional(4, list(StatusCause), { list: "atomic" }),
  retryAfterSeconds: optional(5, int32),
}));
export interface StatusDetails extends Infer<typeof StatusDetails> {}

/** The body of every error response, and of responses without an object. */
export const Status = object(pkg, "Status", () => ({
  metadata: value(1, ListMeta),
  status: optional(2, string),
  message: optional(3, string),
  reason: optional(4, string),
  details: pointer(5, StatusDetails, { list: "atomic" }),
  code: optional(6, int32),
}));
export interface Status extends Infer<typeof Status> {}
