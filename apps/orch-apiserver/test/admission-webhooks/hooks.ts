import { setTimeout as sleep } from "node:timers/promises";
import { startWebhookServer, type TestApiServer, type WebhookRequest, type WebhookServer } from "@orchernetes/testkit";
import { call, type Json } from "../support.ts";

export const registration = "/apis/admissionregistration.o8s.io/v1";

/** The request of an AdmissionReview. */
export const requestOf = ({ body }: WebhookRequest): Json => (body as Json).request as Json;

/** How a webhook of a test decides. */
type Decide = (request: Json) => object;

/** A behaviour that answers as AdmissionReview demands. */
export const deciding = (decide: Decide) => ({
  type: "answer" as const,
  body: (received: WebhookRequest) => {
    const { apiVersion } = received.body as Json;
    const request = requestOf(received);
    return {
      kind: "AdmissionReview",
      apiVersion,
      response: { uid: request.uid, allowed: true, ...decide(request) },
    };
  },
});

/** A patch as responses have it. */
export const patch = (...operations: readonly unknown[]) => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

export const denied = (message: string, more: object = {}) => ({ allowed: false, status: { message, ...more } });

type Kind = "mutating" | "validating";

/** Configures the webhooks of a server, and waits until they are in force. */
export class Hooks {
  readonly #api: TestApiServer;
  readonly #marker: WebhookServer;
  readonly #paths: string[] = [];
  #count = 0;

  private constructor(api: TestApiServer, marker: WebhookServer) {
    this.#api = api;
    this.#marker = marker;
  }

  static async on(api: TestApiServer): Promise<Hooks> {
    return new Hooks(api, await startWebhookServer({ behaviour: deciding(() => ({})) }));
  }

  /** Creates a configuration of webhooks, each with the fields that every one needs. Resolves when requests meet them. */
  async configure(kind: Kind, ...webhooks: readonly (readonly [WebhookServer, object])[]): Promise<string> {
    const name = `hooks-${String(++this.#count).padStart(3, "0")}`;
    const path = `${registration}/${kind}webhookconfigurations`;
    const marker = this.#webhook(this.#marker, {
      name: "marker.example.com",
      objectSelector: { matchLabels: { marker: name } },
      rules: [rule("CREATE", "", "configmaps")],
    });
    const named = webhooks.map(([server, more], i) => this.#webhook(server, { name: `w${i}.example.com`, ...more }));
    const made = await call(this.#api, "POST", path, { body: { metadata: { name }, webhooks: [...named, marker] } });
    if (made.status !== 201) throw new Error(made.text);
    this.#paths.push(`${path}/${name}`);
    await this.meets(name);
    return `${path}/${name}`;
  }

  #webhook({ url, caPem }: WebhookServer, more: object): object {
    return {
      clientConfig: { url: `${url}/hook`, caBundle: Buffer.from(caPem).toString("base64") },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 5,
      // What waits for the configuration is not for the webhooks under test.
      objectSelector: { matchExpressions: [{ key: "marker", operator: "DoesNotExist" }] },
      ...more,
    };
  }

  /** Waits until requests meet the configuration of a name. */
  async meets(name: string): Promise<void> {
    const body = { metadata: { name: "probe", labels: { marker: name } } };
    for (let i = 0; i < 200; i++) {
      const before = this.#marker.requests.length;
      await call(this.#api, "POST", "/api/v1/namespaces/default/configmaps?dryRun=All", { body });
      if (this.#marker.requests.length > before) return;
      await sleep(10);
    }
    throw new Error(`configuration ${name} is not in force`);
  }

  /** Deletes all configurations. */
  async clear(): Promise<void> {
    for (const path of this.#paths.splice(0)) await call(this.#api, "DELETE", path);
  }

  async stop(): Promise<void> {
    await this.#marker.stop();
  }
}

/** A rule of one operation (or `*`) on one resource. */
export const rule = (operation: string, group: string, resource: string, version = "*") => ({
  operations: [operation],
  apiGroups: [group],
  apiVersions: [version],
  resources: [resource],
});
