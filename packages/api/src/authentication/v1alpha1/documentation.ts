import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of authentication.o8s.io/v1alpha1, and of v1beta1, which has the same. */
export const documentation: TypeDocumentation = {
  SelfSubjectReview: {
    "": "Asks as which user the server sees the caller: with impersonation, that is the impersonated user. It is answered immediately and not stored.",
    metadata: "Has no meaning here.",
    status: "The answer, filled in by the server.",
  },
  SelfSubjectReviewStatus: {
    "": "Who the asker is to the server.",
    userInfo: "Name, groups and other attributes of the user who made the request.",
  },
};
