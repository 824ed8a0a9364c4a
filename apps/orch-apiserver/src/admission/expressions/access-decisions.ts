import {
  type Attributes,
  type Authorizer,
  type Decision,
  errorsText,
  pathAttributes,
  type UserInfo,
} from "@orchernetes/auth";
import { type AccessCheck, type AccessDecision, type AccessSubject, type Authorize, Failure } from "@orchernetes/cel";
import { messageOf } from "@orchernetes/kernel";

type Answer = AccessDecision | Failure;

/** An expression meets it where the answer takes time. Once {@link AccessDecisions.settle} has it, the expression is evaluated again. */
const notYet = new Failure("the authorization check is not decided yet");

/** The answers of the authorizers to one request's expressions, each asked for once. */
export class AccessDecisions {
  readonly #authorizer: Authorizer;
  readonly #requester: UserInfo;
  readonly #known = new Map<string, Answer>();
  readonly #pending = new Map<string, Promise<Answer>>();

  constructor(authorizer: Authorizer, requester: UserInfo) {
    this.#authorizer = authorizer;
    this.#requester = requester;
  }

  /** Whether expressions have asked something that is not decided yet. */
  get areWaiting(): boolean {
    return this.#pending.size > 0;
  }

  readonly authorize: Authorize = (check) => {
    const key = JSON.stringify(check);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#pending.has(key)) return notYet;
    const answer = this.#ask(check);
    if (answer instanceof Promise) {
      this.#pending.set(key, answer);
      return notYet;
    }
    this.#known.set(key, answer);
    return answer;
  };

  /** Waits until everything that was asked is decided. */
  async settle(): Promise<void> {
    for (const [key, pending] of [...this.#pending]) {
      this.#known.set(key, await pending);
      this.#pending.delete(key);
    }
  }

  #ask(check: AccessCheck): Answer | Promise<Answer> {
    const user = userOf(check.subject, this.#requester);
    const attributes: Attributes =
      check.kind === "path"
        ? pathAttributes(user, check.verb, check.path)
        : {
            user,
            verb: check.verb,
            apiGroup: check.group,
            apiVersion: "*",
            resource: check.resource,
            subresource: check.subresource,
            namespace: check.namespace,
            name: check.name,
            path: "",
            resourceRequest: true,
          };
    try {
      const decision = this.#authorizer.authorize(attributes);
      return decision instanceof Promise ? decision.then(answerOf).catch(failed) : answerOf(decision);
    } catch (error) {
      return failed(error);
    }
  }
}

const failed = (error: unknown): Failure => new Failure(`error in authorization check: ${messageOf(error)}`);

function answerOf(decision: Decision): Answer {
  if (decision.type === "NoOpinion" && decision.errors !== undefined)
    return new Failure(`error in authorization check: ${errorsText(decision.errors)}`);
  return { allowed: decision.type === "Allow", reason: decision.reason ?? "" };
}

function userOf(subject: AccessSubject, requester: UserInfo): UserInfo {
  if (subject.kind === "requester") return requester;
  const { namespace, name } = subject;
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    extra: {},
  };
}
