import type { TypeDocumentation } from "@orchernetes/apimachinery";

const webhookTexts = {
  name: "Name of the webhook: a domain name of at least three labels, such as images.example.com. Unique within the configuration.",
  clientConfig: "How the webhook is called.",
  rules:
    "Which operations on which resources it is called for; one matching rule is enough. The configurations of webhooks themselves are never sent, lest a broken one could not be repaired.",
  failurePolicy:
    "What happens to the request when the webhook can't be reached or its response is invalid: Fail (the default) rejects it, Ignore continues.",
  matchPolicy:
    "Whether rules also match requests for another group or version of the same resource: Equivalent (the default) converts the object and sends it, Exact does not.",
  namespaceSelector:
    "Only for objects in namespaces with matching labels; of Namespace objects their own labels are meant, and cluster-wide objects always match. Default: all.",
  objectSelector:
    "Only for objects with matching labels, in their old or new state. Users can evade it by leaving labels out. Default: all.",
  sideEffects:
    "Whether a call has side effects: None, or NoneOnDryRun if it has none in a dry run. Unknown and Some are rejected in this version.",
  timeoutSeconds: "Seconds to wait for the answer, 1 to 30; then failurePolicy decides. Default: 10.",
  admissionReviewVersions:
    "Versions of AdmissionReview that the webhook understands, the preferred one first; the first that the server knows is sent. One of them must be known: v1 or v1beta1.",
  matchConditions:
    "CEL expressions that all must be true for a call; at most 64. Needs the feature gate AdmissionWebhookMatchConditions. Default: always.",
};

/** Texts of the types of admissionregistration.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  MutatingWebhookConfiguration: {
    "": "Webhooks that may change or refuse objects before they are stored. Configurations are called in the order of their names.",
    webhooks: "The webhooks, called in this order. An empty list does nothing.",
  },
  ValidatingWebhookConfiguration: {
    "": "Webhooks that may refuse objects, but not change them, before they are stored. They are called at the same time, after all changes.",
    webhooks: "The webhooks. An empty list does nothing.",
  },
  MutatingWebhook: {
    "": "A webhook that may change or refuse objects, and when it is called.",
    ...webhookTexts,
    reinvocationPolicy:
      "Never (the default): called once for a request. IfNeeded: called once more when another webhook changed the object after it; it must cope with its own changes.",
  },
  ValidatingWebhook: {
    "": "A webhook that may refuse objects, and when it is called.",
    ...webhookTexts,
  },
  RuleWithOperations: {
    "": "Some operations on some resources.",
    operations: "CREATE, UPDATE, DELETE, CONNECT, or * alone for all of them, also those that may come.",
    apiGroups: 'Groups of the resources; "" is the core group, * alone means all.',
    apiVersions: "Versions of the resources; * alone means all.",
    resources:
      "Plural names of resources; subresources as pods/log, all of a resource as pods/*, that of all resources as */scale. * means all resources without subresources, */* everything.",
    scope:
      "Cluster: only objects without a namespace, Namespaces among them. Namespaced: only objects in one. * (the default): both.",
  },
  MatchCondition: {
    "": "A condition under which a webhook is called.",
    name: "Name of the condition, for logs and for merging. Unique within the webhook.",
    expression:
      "CEL expression of type bool over object, oldObject, request and authorizer. False: no call. An error: failurePolicy decides, unless another condition is false.",
  },
  WebhookClientConfig: {
    "": "How a webhook is called. Exactly one of url and service is set.",
    url: "Address of the webhook: https://HOST:PORT/PATH, without user, query or fragment.",
    service: "Service in the cluster that the webhook runs behind.",
    caBundle:
      "Certificates, PEM in base64, one of which must have signed that of the webhook. Default: what the host of orch-apiserver trusts.",
  },
  ServiceReference: {
    "": "A Service and a path at it.",
    namespace: "Namespace of the Service.",
    name: "Name of the Service.",
    path: "Path of the requests. Default: /.",
    port: "Port of the Service, from 1 to 65535. Default: 443.",
  },
};
