import type { ApiObject } from "@orchernetes/apimachinery";
import type {
  AdmissionAttributes,
  GroupVersionKind,
  GroupVersionResource,
  MutatingAttributes,
} from "@orchernetes/apiserver";
import { namespaceOf } from "../matching/selectors.ts";
import type { ReviewVersion } from "./webhook.ts";

/** A write in the form that a webhook gets. */
export interface ReviewedWrite {
  readonly attributes: AdmissionAttributes | MutatingAttributes;
  /** Kind of the objects, which may be another version than that of the request. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** Undefined for DELETE. */
  readonly object: ApiObject | undefined;
  /** Undefined for CREATE and CONNECT. */
  readonly oldObject: ApiObject | undefined;
}

/** Creates the AdmissionReview about a write. */
export function admissionReview(uid: string, version: ReviewVersion, write: ReviewedWrite): object {
  const { attributes, kind, resource, object, oldObject } = write;
  const { operation, subresource, name, user, options } = attributes;
  const namespace = namespaceOf(attributes);
  const { uid: userUid, groups, extra } = user;
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.o8s.io/${version}`,
    request: {
      uid,
      kind,
      resource,
      ...(subresource !== "" && { subResource: subresource }),
      requestKind: attributes.kind,
      requestResource: attributes.resource,
      ...(subresource !== "" && { requestSubResource: subresource }),
      ...(name !== "" && { name }),
      ...(namespace !== "" && { namespace }),
      operation,
      userInfo: {
        ...(user.name !== "" && { username: user.name }),
        ...(userUid && { uid: userUid }),
        ...(groups.length > 0 && { groups }),
        ...(Object.keys(extra).length > 0 && { extra }),
      },
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun: attributes.dryRun,
      options: "kind" in options ? options : null,
    },
  };
}
