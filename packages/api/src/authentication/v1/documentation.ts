import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of authentication.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  TokenReview: {
    "": "Asks who a bearer token belongs to. It is answered immediately and not stored.",
    metadata: "Has no meaning here.",
    spec: "The question.",
    status: "The answer, filled in by the server.",
  },
  TokenReviewSpec: {
    "": "The token in question.",
    token: "The token, without the word Bearer.",
    audiences: "Who the token should be for; one match is enough. Default: orch-apiserver itself.",
  },
  TokenReviewStatus: {
    "": "The result of authenticating the token.",
    authenticated: "Whether the token is good.",
    user: "Who it belongs to, if it is good.",
    audiences:
      "The requested audiences that the token is for. When empty although authenticated is true, the authenticator does not check audiences, and the token is for orch-apiserver.",
    error: "Why the token could not be checked.",
  },
  UserInfo: {
    "": "What is known about a user.",
    username: "Name that identifies the user among those of now.",
    uid: "Identifies the user over time: another user who gets the same name later has another one.",
    groups: "Groups that the user is in.",
    extra: "Further attributes that the authenticator gave, by name.",
  },
  TokenRequest: {
    "": "Requests a token of a service account, through its token subresource. It is answered immediately and not stored.",
    metadata: "Has no meaning here.",
    spec: "What token is wanted.",
    status: "The token, filled in by the server.",
  },
  TokenRequestSpec: {
    "": "What token is wanted.",
    audiences: "Who the token should be for; a recipient must refuse it when it is not named. Default: orch-apiserver.",
    expirationSeconds:
      "Seconds that the token should be good for, from 600 to 2^32. The server may choose otherwise; look at status.expirationTimestamp. Default: 3600.",
    boundObjectRef: "An object whose deletion ends the token, too: a Pod or a Secret of the same namespace.",
  },
  BoundObjectReference: {
    "": "The object that a token lives with.",
    kind: "Kind of the object: Pod or Secret.",
    apiVersion: "Group and version of the object's API: v1.",
    name: "Name of the object.",
    uid: "UID of the object. When given, the present object must have it.",
  },
  TokenRequestStatus: {
    "": "An issued token.",
    token: "The token, a signed JWT.",
    expirationTimestamp: "When it stops being good.",
  },
};
